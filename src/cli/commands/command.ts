import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { CommandSession } from "../session";

/** Adds a command or a group to its parent. */
export type Add = (parent: CommandUnknownOpts, session: CommandSession) => void;
