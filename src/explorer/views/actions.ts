import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { RpcAnswer } from '../load/source.ts';

/** What a page can do in the browser. Absent on the server. */
export type Actions = {
  /** Gets a route of this server as text; undefined if it does not answer with status 200. */
  readonly getText: (path: string) => Promise<string | undefined>;
  /** Calls a method of the Node RPC at a path. */
  readonly call: <T>(path: string, method: string, params?: object) => Promise<RpcAnswer<T>>;
  /** Calls a method of `/ext/dev`. */
  readonly dev: <T>(method: string, params?: object) => Promise<RpcAnswer<T>>;
  /** Calls a route under `/v1/webhooks`. */
  readonly webhook: <T>(method: string, path: string, body?: object) => Promise<RpcAnswer<T>>;
  /** Sends any request to this server. Returns the status and the beginning of the answer. */
  readonly send: (method: string, path: string, body: string | undefined) => Promise<{ readonly status: number; readonly text: string }>;
  /** Replaces the state of all chains with a state file. */
  readonly loadState: (file: Blob) => Promise<RpcAnswer<{ readonly height: string }>>;
  /** Addresses whose transactions mark the title of this browser's tabs. */
  readonly watched: () => readonly string[];
  readonly watch: (address: string, isOn: boolean) => void;
  /** Heights up to which the reader has seen the transactions of watched addresses, before this visit; `shown`: those of this visit. */
  readonly seenHeights: (shown: SeenHeights) => SeenHeights;
  /** Goes to another address of this page without loading the frame again. */
  readonly goTo: (path: string) => Promise<void>;
  /** The names that are kept in this browser, by address without prefix. */
  readonly keptNames: () => Readonly<Record<string, string>>;
  /** Adds the names of a file. Returns what was done, or why nothing was. */
  readonly importNames: (text: string) => string;
  /** Keeps a name of an address in this browser, or forgets it if it is empty. Returns why that is not possible. */
  readonly keepName: (address: string, name: string) => string | undefined;
  /** Loads the page's data again. */
  readonly reload: () => Promise<void>;
};

/** Heights of blocks by address. */
export type SeenHeights = Readonly<Record<string, number>>;

export const ActionsContext = createContext<Actions | undefined>(undefined);

export const useActions = (): Actions | undefined => useContext(ActionsContext);

/** What a call did, in words and as links to what it created; or why it failed, with the data of the error. */
export type CallNote = {
  readonly text: string;
  readonly isError: boolean;
  readonly links?: readonly NoteLink[] | undefined;
  readonly fault?: Readonly<Record<string, unknown>> | undefined;
};
export type NoteLink = { readonly href: string; readonly word: string };
/** What a finished call says: a sentence, and links to what it created. */
export type Done = string | { readonly text: string; readonly links: readonly NoteLink[] };

/** Runs `dev.*` methods one at a time, then loads the page again. `note` says what happened. */
export function useDevCall() {
  const actions = useActions();
  const [note, setNote] = useState<CallNote | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  /** Runs several calls; the sentence of the last one stays. Resolves when the page is loaded again; false: a call failed. */
  const runAll = async (calls: (actions: Actions) => Promise<RpcAnswer<Done>>): Promise<boolean> => {
    if (actions === undefined || isBusy) return false;
    setBusy(true);
    try {
      const { result, error } = await calls(actions);
      if (error !== undefined) setNote({ text: error.message, isError: true, fault: error.data ?? undefined });
      else setNote(typeof result === 'string' ? { text: result, isError: false } : { text: '', ...result, isError: false });
      if (error === undefined) await actions.reload();
      return error === undefined;
    } finally {
      setBusy(false);
    }
  };
  const run = (method: string, params: object, done: (result: Record<string, unknown>) => Done): Promise<boolean> =>
    runAll(async ({ dev }) => {
      const { result, error } = await dev<Record<string, unknown>>(method, params);
      return error === undefined ? { result: done(result ?? {}) } : { error };
    });
  return { run, runAll, note, isBusy };
}
