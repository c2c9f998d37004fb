import { ACCOUNT_HEADER } from "../api/acting";
import { answer } from "../api/answer";
import type { BasePath } from "../api/edge/base-path";
import { requestIdOf } from "../api/edge/request-head";
import {
  ApiError,
  badRequest,
  CELL_HEADER,
  cellUnavailable,
  internalError,
  keyRequired,
  unavailable,
} from "../api/errors";
import { errorAnswer } from "../api/failure";
import type { SessionCookie } from "../api/session-cookie";
import { type CellAddress, isPlace } from "../cells/cell-list";
import type { CellDirectory, Whereabouts } from "../cells/directory";
import type { CellReference } from "../cells/reference";
import type { RouterMeter } from "../metrics/router-meter";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { QueueFull } from "../runtime/queues/batcher";
import { type Aim, aimOf, isActing, isOfApi } from "./aim";
import { CellRefusal } from "./cell-reading";
import {
  CellAway,
  type Forwardable,
  forAnyCell,
  forwardable,
  headOf,
  homeIn,
  isRepeatable,
} from "./forwarding";
import { mergedList } from "./merging";
import { emptiestCell, listCells } from "./placing";
import { RemoteCell } from "./remote-cell";
import { summedSeries } from "./summing";

/** Most homes that a request is sent on to. An account that moves from cell to cell may be ahead of what they know. */
export const MOST_HOMES = 3;

export type RequestRouterOptions = Readonly<{
  cells: readonly CellAddress[];
  directory: Pick<CellDirectory, "find" | "forget">;
  cookie: SessionCookie;
  basePath: BasePath;
  isReady(): boolean;
  /** Most requests that wait for the answer of one cell. */
  mostWaiting: number;
  /** Null to measure nothing. */
  meter: RouterMeter | null;
  clock: Clock;
  log: Log;
}>;

/**
 * Sends each request to the cell of its account. The directory only says where to try: a cell that lacks the account answers 421
 * with its home, and the router tries there.
 */
export class RequestRouter {
  private readonly cells: readonly RemoteCell[];
  private turn = 0;

  constructor(private readonly options: RequestRouterOptions) {
    this.cells = options.cells.map((address) => new RemoteCell(address, options));
  }

  /** Answers a request that came from `address`. */
  async handle(request: Request, address: string): Promise<Response> {
    try {
      const { basePath, cookie } = this.options;
      const head = headOf(request);
      const inner = basePath.strip(head);
      const aim = aimOf(inner, cookie);
      if (isOfApi(aim)) this.options.meter?.requested();
      const asked = await forwardable(request, head, address);
      if (!isActing(inner)) asked.headers.delete(ACCOUNT_HEADER);
      return await this.carryOut(asked, aim);
    } catch (error) {
      if (error instanceof CellRefusal) return error.answer;
      return answerOf(this.refusalOf(error, request), request);
    }
  }

  private carryOut(asked: Forwardable, aim: Aim): Promise<Response> {
    const { cells } = this;
    switch (aim.kind) {
      case "health":
        return Promise.resolve(this.health(aim.status));
      case "any":
        return this.toAny(asked, aim.isSignIn ? 0 : this.turn++);
      case "stranger":
        throw keyRequired();
      case "place":
        return this.cellAt(aim.place).send(asked);
      case "cells":
        return listCells(asked, cells);
      case "unplaced":
        throw badRequest(`This concerns one cell: name one of ${this.names()} by Hermod-Cell`);
      case "new":
        return this.toNew(asked, aim.accounts);
      case "known":
        return this.toKnown(asked, aim.accounts, aim.token);
      case "token":
        return this.toHolder(asked, aim.token);
      case "body":
        return this.toHolder(asked, aim.token, forAnyCell(asked));
      case "merged":
        return this.toAll(asked, aim.token, () => mergedList(asked, cells));
      case "summed":
        return this.toAll(asked, aim.token, () => summedSeries(asked, cells));
      case "found":
        return this.toAll(asked, aim.token, () => this.toFirst(asked));
    }
  }

  /** A router is ready once it has reached the directory. Later it serves known accounts without it. */
  health(status: "live" | "ready"): Response {
    const isWell = status === "live" || this.options.isReady();
    return answer(null, isWell ? 200 : 503, { status: isWell ? status : "unready" });
  }

  private async toKnown(asked: Forwardable, accounts: readonly CellReference[] | null, token: CellReference) {
    for (const reference of accounts ?? []) {
      const found = await this.options.directory.find(reference, asked.address);
      if (found.kind !== "nowhere") return this.toFound(asked, reference, found);
    }
    const found = await this.options.directory.find(token, asked.address);
    // An account that is nowhere is refused by any cell that knows the token.
    const isRefused = found.kind === "everywhere" && accounts !== null;
    return isRefused ? this.toAny(asked) : this.toFound(asked, token, found);
  }

  private async toNew(asked: Forwardable, accounts: readonly CellReference[]): Promise<Response> {
    for (const reference of accounts) {
      const found = await this.options.directory.find(reference, asked.address);
      if (found.kind !== "nowhere") return this.toFound(asked, reference, found);
    }
    const { directory } = this.options;
    for (const reference of accounts) directory.forget(reference);
    const place = asked.headers.get(CELL_HEADER) ?? "*";
    return this.toHome(asked, await emptiestCell(asked, this.cells, place));
  }

  /** Sends a request to the cell of its token. The admin key is in each: any of them then gets `forAny`. */
  private async toHolder(asked: Forwardable, token: CellReference, forAny = asked): Promise<Response> {
    const found = await this.options.directory.find(token, asked.address);
    return found.kind === "everywhere" ? this.toAny(forAny) : this.toFound(asked, token, found);
  }

  /** Turns to all cells for a token that one of them has: the others admit it if it is an administrator's. */
  private async toAll(
    asked: Forwardable,
    token: CellReference,
    work: () => Promise<Response>,
  ): Promise<Response> {
    const { kind } = await this.options.directory.find(token, asked.address);
    if (kind === "unsure") throw unavailable();
    if (kind === "nowhere") throw keyRequired();
    return work();
  }

  /** Sends a request to one cell after the other, until one has what it concerns. Throws `CellAway` if that may be in a silent one. */
  private async toFirst(asked: Forwardable): Promise<Response> {
    let away: unknown = null;
    let lacking: Response | null = null;
    for (const cell of this.cells) {
      try {
        const answered = await cell.send(asked);
        if (![404, 421].includes(answered.status)) return answered;
        if (answered.status === 404) lacking = answered;
      } catch (error) {
        away = error;
      }
    }
    if (away === null && lacking !== null) return lacking;
    throw away ?? keyRequired();
  }

  private async toFound(asked: Forwardable, reference: CellReference, found: Whereabouts): Promise<Response> {
    switch (found.kind) {
      case "cell":
        return this.toHome(asked, this.cellAt(found.name), reference);
      case "everywhere":
        throw badRequest(
          `Every cell has this account or key: name the account by Hermod-Account, or one of ${this.names()} by Hermod-Cell`,
        );
      case "unsure":
        throw unavailable();
      case "nowhere":
        throw keyRequired();
    }
  }

  private async toHome(asked: Forwardable, cell: RemoteCell, reference?: CellReference): Promise<Response> {
    return this.followed(asked, await cell.send(asked), reference);
  }

  /** Sends a request to the first cell that can be reached, beginning with another one each turn. */
  private async toAny(asked: Forwardable, turn = this.turn++): Promise<Response> {
    const { cells } = this;
    const first = turn % cells.length;
    let last: unknown;
    for (const cell of [...cells.slice(first), ...cells.slice(0, first)]) {
      try {
        return await this.followed(asked, await cell.send(asked));
      } catch (error) {
        last = error;
        if (!(error instanceof CellAway) || error.isSent || !isRepeatable(asked)) throw error;
      }
    }
    throw last;
  }

  /** Sends a request on while the answer names another cell as the home: that cell may be out of date as well. */
  private async followed(asked: Forwardable, first: Response, reference?: CellReference): Promise<Response> {
    let answered = first;
    for (let homes = 0; homes < MOST_HOMES; homes++) {
      const home = this.cells.find(({ name }) => name === homeIn(answered));
      if (home === undefined) return answered;
      if (reference) this.options.directory.forget(reference);
      await answered.body?.cancel();
      if (!isRepeatable(asked)) throw unavailable();
      answered = await home.send(asked);
    }
    return answered;
  }

  private cellAt(place: string): RemoteCell {
    const [cell, other] = this.cells.filter((each) => isPlace(place, each));
    if (cell && other === undefined) return cell;
    throw badRequest(`Hermod-Cell must name one cell: ${this.names()}`);
  }

  private names(): string {
    return this.cells.map(({ name }) => name).join(", ");
  }

  /** Returns the answer to an error, and counts it. */
  private refusalOf(error: unknown, request: Request): ApiError {
    // The client has left, and gets no answer.
    if (request.signal.aborted) return unavailable();
    const refusal = this.toApiError(error, request);
    this.options.meter?.refused(refusal.status, refusal.errorCode);
    return refusal;
  }

  private toApiError(error: unknown, request: Request): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof CellAway) return cellUnavailable(error.cell);
    if (error instanceof QueueFull) return unavailable();
    this.options.log.error(
      { ...describeError(error), request_id: requestIdOf(request) },
      "could not route a request; the client got a 500",
    );
    return internalError();
  }
}

function answerOf(error: ApiError, request: Request): Response {
  const { body, headers } = errorAnswer(error, null);
  return new Response(body, {
    status: error.status,
    headers: { ...headers, "x-request-id": requestIdOf(request) },
  });
}
