import { parseArgs } from 'node:util';

/** The options of a benchmark run. */
export type Options = {
  readonly mode: Mode;
  /** Only rows whose name contains this. */
  readonly only: string | undefined;
  /** Length of one measured run in seconds. */
  readonly seconds: number;
  /** Measured runs of each row on each server. */
  readonly rounds: number;
  /** Transactions in one run of issueTx. */
  readonly issued: number;
  readonly quick: boolean;
  /** Blocks of the chain that is bootstrapped, or of the long chain of `transfer` or `scale`; undefined: the default of the mode. */
  readonly blocks: number | undefined;
  /** Transactions of the long history of `scale`; undefined: the default. */
  readonly txs: number | undefined;
  /** Hostile peers of `hostile`; undefined: the default. */
  readonly peers: number | undefined;
  /** The directory in which the generated chain is kept for the next run. */
  readonly keep: string | undefined;
  /** The values of `--workers` with which the Data and Metrics APIs, and threads, are measured. */
  readonly workers: readonly string[];
  /** The PostgreSQL server on which `serac api` is measured; undefined: not measured. */
  readonly postgres: string | undefined;
  /** Coordinators of Citus clusters that are measured beside it. */
  readonly citus: readonly string[];
  readonly soak: SoakOptions;
  /** Whether `index-load` measures a load by its size, in place of two ways to load. */
  readonly curve: boolean;
  /** Whether the figures of `limits`, `soak` or `index-load --curve` are added to their history. */
  readonly record: boolean;
  /** Whether answers to the questions of the performance page are written to bench/results.json: a run at its default length, or `record`; not of a chain of another size. */
  readonly recordResults: boolean;
};

type SoakOptions = {
  readonly minutes: number;
  /** Transactions per second; undefined: 80 % of the measured capacity. */
  readonly rate: number | undefined;
  /** Of the random transactions whose answers are compared. */
  readonly seed: number;
};

/** `table`, the default, measures the Node RPC. */
export type Mode = 'table' | (typeof modes)[number];

const modes = [
  'scale',
  'data',
  'index-cost',
  'index-load',
  'threads',
  'transfer',
  'follow',
  'events',
  'p2p',
  'hostile',
  'limits',
  'cluster',
  'citus',
  'soak',
  'restart',
] as const;

export const usage = `npm run bench -- [--scale | --data | --index-cost | --index-load | --threads | --transfer | --follow | --events | --p2p | --hostile | --limits | --cluster | --citus | --soak | --restart] [--only name] [--seconds N] [--rounds N] [--quick]

  --only name    only rows whose name contains this
  --seconds N    length of one measured run, 1 to 60 (default 3)
  --rounds N     runs of each row on each server, 1 to 20 (default 3)
  --quick        1 second, 2 rounds: the whole table in under 4 minutes
  --record       write the figures of a run that is shorter than usual to bench/results.json too; a run of the usual length always does

The row "memory under mixed reads" is the highest memory of all processes in rounds of a minute each (--quick: 15 s): 16 connections, Node RPC,
Data pages that are in no cache of responses, and avg_tps, on a chain of 5,000 transactions. --only mixed --rounds 8 runs it for eight minutes.

If the environment variable AVALANCHEGO is the path of its binary, Serac is compared with AvalancheGo, else with a bare server that returns
the same bytes. SERAC_BEFORE, the built program of another commit (dist/cli/main.cjs), takes the place of both; its figures are not written.
Instead of the table:

  --scale        10^6 UTXOs in 10^5 blocks against 10^4 UTXOs in 10^3 blocks: rates of the Node RPC, CPU time of the Data and Metrics APIs, backup,
                 check, snapshots; then the APIs, start and memory with 10^6 transactions (--quick: 10^5) against 10^4
  --txs N          only the second part, with this many transactions in the long history, up to 10^8
  --blocks N       only the first part, with this many blocks of ten UTXOs in the long chain (--quick: 10,000)
  --data         Data and Metrics APIs over 10^6 UTXOs and 10^6 transactions (--quick: 10^5), against a bare server that returns the same bytes
  --keep DIR       directory for the generated chain, which a later run reuses; generating it takes minutes and gigabytes
  --workers N      number of reader processes; without it, measured with 1 and with 0
  --postgres URL   also measure serac api on this PostgreSQL server, with the round trips per page; the copy of the chain stays there
  --index-cost   accepted transactions per second with and without the history index
  --index-load   CPU time of a transaction while serac index catches up with a local node, by thread and process, with --postgres URL: 40,000 transfers
                 between 4,000 addresses (--quick: 10,000 between 1,000; --txs N; --keep DIR)
  --curve          instead what a transaction costs at each half power of ten of a load with --trust-node, of 10^6 (--txs N) generated transactions; the
                   database serac_bench_curve stays, and the next run continues it; --record adds the points to bench/index-load.jsonl
  --threads      CPU time of an accepted transaction by process and thread, with --workers 1 and 0; --workers N for another number
  --transfer     what one transfer with one input and two outputs costs in chains of 100 and of 90,000 blocks (--quick: 10,000): rows by table,
                 statements, pages of the log, bytes on disk, bytes allocated, CPU time of the main thread; --blocks N for another size,
                 --only two or --only many for transfers between two or between many addresses
  --follow       catching up with a node (AVALANCHEGO, else Serac), against only fetching its blocks
  --events       500 transactions per second with 1,000 clients of the event stream for one address each and 10 for all, against none
  --p2p          nodes on a network beside AvalancheGo: bootstrap, time from issue to acceptance, idle peers
  --blocks N       blocks of the chain that is bootstrapped, at most 1,000,000 (default 100,000; --quick: 5,000)
  --hostile      memory and acceptance of a staker under each kind of hostile peers without stake, beside AvalancheGo if AVALANCHEGO_STAKING_KEYS
                 is the folder staking/local of its source too; --only selects kinds
  --peers N        hostile peers at once, at most 1,000 (default 60)
  --limits       delays and memory that the tests measure, against their limits and the last run in bench/limits.jsonl; --only selects files
  --record         add this run to bench/limits.jsonl
  --cluster      a primary, a replica, PgBouncer, Redis and two serac api on this machine, with 10^5 transactions (--quick: 10^4; --txs N): bytes
                 per transaction, CPU time per request by route, cache hits under a Zipf load; docs/operate/sizing.md is computed from it
  --citus        loading 50,000 transfers (--quick: 10,000; --txs N; --keep DIR) into --postgres URL and into the cluster of each --citus-url URL, a
                 coordinator, all on this machine, then requests: CPU time of all processes of PostgreSQL and of Serac, bytes
  --soak         two hours at 80 % of the capacity, which is measured first: transactions, as many reads, events, pages of the explorer in Chromium;
                 samples memory, caches, file handles and sizes, fits a line after ten minutes and 25,000 transactions, compares a stream of answers with the blocks
  --minutes N      its length, at most 1440 (default 120)
  --rate N         transactions per second instead of 80 % of the capacity
  --seed N         of the random transactions whose answers are compared (default: of the clock, printed)
  --record         add this run to bench/soak.jsonl and draw bench/soak.svg
  --restart      time from the start until healthy after kill -9 under load, with 10^5 transactions (--txs N; --keep DIR), and its phases`;

/** Parses the options; returns an error message if they are wrong. */
export function parseOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        keep: { type: 'string' },
        workers: { type: 'string' },
        postgres: { type: 'string' },
        blocks: { type: 'string' },
        txs: { type: 'string' },
        quick: { type: 'boolean', default: false },
        scale: { type: 'boolean' },
        data: { type: 'boolean' },
        'index-cost': { type: 'boolean' },
        'index-load': { type: 'boolean' },
        curve: { type: 'boolean', default: false },
        threads: { type: 'boolean' },
        transfer: { type: 'boolean' },
        follow: { type: 'boolean' },
        events: { type: 'boolean' },
        p2p: { type: 'boolean' },
        hostile: { type: 'boolean' },
        peers: { type: 'string' },
        limits: { type: 'boolean' },
        cluster: { type: 'boolean' },
        citus: { type: 'boolean' },
        'citus-url': { type: 'string', multiple: true, default: [] },
        soak: { type: 'boolean' },
        restart: { type: 'boolean' },
        minutes: { type: 'string' },
        rate: { type: 'string' },
        seed: { type: 'string' },
        record: { type: 'boolean', default: false },
      },
    });
    const { quick, only, keep, workers, postgres, record, curve } = values;
    const [mode = 'table', another] = modes.filter((name) => values[name]);
    if (another !== undefined) return `--${mode} and --${another} cannot be combined`;
    const seconds = parseInteger(values.seconds, 60) ?? (quick ? 1 : 3);
    const rounds = parseInteger(values.rounds, 20) ?? (quick ? 2 : 3);
    return {
      mode,
      only,
      seconds,
      rounds,
      issued: quick ? 2000 : 4000,
      quick,
      blocks: parseInteger(values.blocks, 1_000_000),
      txs: parseInteger(values.txs, 100_000_000),
      peers: parseInteger(values.peers, 1000),
      keep,
      // Not auto: a developer's chain would start its reader in the middle of a round.
      workers: workers === undefined ? ['1', '0'] : [workers],
      postgres,
      citus: values['citus-url'],
      soak: {
        minutes: parseInteger(values.minutes, 1440) ?? 120,
        rate: parseInteger(values.rate, 100_000),
        seed: parseInteger(values.seed, 2 ** 32) ?? Date.now() % 2 ** 32,
      },
      curve,
      record,
      // A chain of another size answers another question.
      recordResults:
        ![values.blocks, values.txs].some(isGiven) && (record || ![quick || undefined, only, values.seconds, values.rounds].some(isGiven)),
    };
  } catch (error) {
    return (error as Error).message;
  }
}

const isGiven = (value: unknown): boolean => value !== undefined;

function parseInteger(text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) throw new RangeError(`${text} is not a whole number from 1 to ${max}`);
  return value;
}
