import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog";
import { FieldProblem, Id, problemText } from "./parts";
import { partTexts } from "./texts";

type FormDialogProps = {
  title: string;
  /** The label of the button that sends the form. */
  action: string;
  isReady?: boolean;
  /** True for a side panel, whose buttons stay visible, instead of a box in the middle. */
  isPanel?: boolean;
  onClose(): void;
  /** Sends the form. A rejection is shown. */
  submit(form: FormData): Promise<void>;
  children: ComponentChildren;
};

/** A dialog with a form. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, isReady = true, isPanel = false, onClose, submit, children } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setProblem(null);
    submit(form).catch((error) => setProblem(problemText(error)));
  };
  return (
    <Dialog title={title} isPanel={isPanel} onClose={onClose}>
      <form class="dialog-body form" onSubmit={onSubmit}>
        {children}
        <FieldProblem text={problem} />
        <div class={isPanel ? "dialog-actions sticky" : "dialog-actions"}>
          <button type="button" class="btn" onClick={onClose}>
            {partTexts.value.back}
          </button>
          <button type="submit" class="btn pri" disabled={!isReady}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type ConfirmDialogProps = {
  title: string;
  action: string;
  isBusy?: boolean;
  /** True if the action removes something. */
  isDangerous?: boolean;
  /** The text that must be typed before the action. */
  expected?: string;
  onClose(): void;
  onConfirm(): void;
  children: ComponentChildren;
};

/** A dialog that asks for confirmation before an action. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    action,
    isBusy = false,
    isDangerous = false,
    expected,
    onClose,
    onConfirm,
    children,
  } = props;
  const [typed, setTyped] = useState("");
  const isLocked = expected !== undefined && typed !== expected;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="dialog-body form"
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <p>{children}</p>
        {expected !== undefined && (
          <label>
            {partTexts.value.typeToConfirm(expected)}
            <input
              class="input mono"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
              autocomplete="off"
            />
          </label>
        )}
        <div class="dialog-actions">
          <button type="button" class="btn" onClick={onClose}>
            {partTexts.value.back}
          </button>
          <button
            type="submit"
            class={isDangerous ? "btn pri danger-solid" : "btn pri"}
            disabled={isLocked || isBusy}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type ShownOnceProps = {
  title: string;
  secret: string;
  /** What it is for; by default that of a signing secret. */
  hint?: string;
  onClose(): void;
  children?: ComponentChildren;
};

/** Shows a secret that no later answer has. Closes only after the reader confirms that it is stored. */
export function ShownOnce({ title, secret, hint, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} isSticky onClose={onClose}>
      <div class="dialog-body">
        <p>
          {hint ?? partTexts.value.secretOnce}
          {children}
        </p>
        <p class="secret">
          <Id id={secret} />
        </p>
        <div class="dialog-actions">
          <button type="button" class="btn pri" onClick={onClose}>
            {partTexts.value.stored}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
