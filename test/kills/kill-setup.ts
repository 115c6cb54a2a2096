import type { Utxo } from '../../src/avm/tx/utxo.ts';
import type { Client } from '../http.ts';
import type { Random } from '../random.ts';

/** Processes of which one is killed and started again, while transactions are issued and answers are read. */
export type KillSetup = {
  /** Starts what is down, and waits until it serves. */
  readonly start: () => Promise<Serving>;
  /** Starts the process that is down, and kills it after some milliseconds. */
  readonly killWhileStarting: (milliseconds: number) => Promise<void>;
  /** What is wrong in the stored data, while the killed process is down. `deep`: also what takes as long as the chain is. */
  readonly findProblems: (seen: Seen, deep: boolean) => Promise<readonly string[]>;
  /** Ports of the event streams that are followed, each from its first block on; undefined while that process is down. */
  readonly streams: readonly (() => number | undefined)[];
  /** A killed process may lose a transaction that waits only in its mempool; another node may accept it later. */
  readonly canLosePending: boolean;
  /** The kill comes after fewer answers to issueTx than this: as many as a second or two take. */
  readonly maxAnswers: number;
  /** Percent of the transactions that are invalid. */
  readonly invalidPercent: number;
  /** Stops all processes in order, checks what remains, and removes it. */
  readonly finish: (seen: Seen) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The processes while all of them run. */
export type Serving = {
  /** The process that is to be killed: its port has the Data API, and events. */
  readonly port: number;
  /** Ports that take `issueTx`. */
  readonly issuePorts: readonly number[];
  /** A node whose developer's methods can be called; undefined on a network. */
  readonly dev: Client | undefined;
  /** Whether the process that is to be killed shows a transaction as accepted. */
  readonly isAccepted: (client: Client, txID: string) => Promise<boolean>;
  /** Kills it; `after` SIGTERM, if that many milliseconds are given. */
  readonly kill: (after: number | undefined) => Promise<void>;
};

/** What callers have seen: it must never be lost. */
export type Seen = {
  /** IDs of accepted transactions, as hex. */
  readonly accepted: ReadonlySet<string>;
  readonly deposits: readonly Utxo[];
  /** Unspent outputs that the accepted transactions leave. */
  readonly unspent: () => readonly string[];
};

/** Options of a set-up. */
export type SetupOptions = { readonly folder: string; readonly random: Random };
