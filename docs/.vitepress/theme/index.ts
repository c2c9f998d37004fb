import { onContentUpdated, type Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { onMounted } from "vue";

const CHOSEN = "hermod-language";

/** VitePress' own theme, in which all tabs show the language that was chosen last. */
export default {
  extends: DefaultTheme,
  setup() {
    onContentUpdated(showChosen);
    onMounted(() => {
      addEventListener("change", ({ target }) => {
        if (!(target instanceof HTMLInputElement && target.matches(".vp-code-group input"))) return;
        localStorage.setItem(CHOSEN, target.labels?.[0]?.dataset.title ?? "");
        showChosen();
      });
      showChosen();
    });
  },
} satisfies Theme;

function showChosen(): void {
  const language = localStorage.getItem(CHOSEN);
  for (const group of document.querySelectorAll(".vp-code-group")) {
    const inputs = [...group.querySelectorAll("input")];
    const at = inputs.findIndex(({ labels }) => labels?.[0]?.dataset.title === language);
    const blocks = [...group.querySelectorAll(".blocks > *")];
    if (at < 0 || inputs.length !== blocks.length) continue;
    for (const [i, input] of inputs.entries()) input.checked = i === at;
    for (const [i, block] of blocks.entries()) block.classList.toggle("active", i === at);
  }
}
