import { parseArgs } from 'node:util';

/** What a bench run is told. */
export type Options = {
  readonly mode: Mode;
  /** Only rows whose name contains this. */
  readonly only: string | undefined;
  /** Length of one measured run. */
  readonly seconds: number;
  /** Measured runs of each row on each server. */
  readonly rounds: number;
  /** Transactions in one run of issueTx. */
  readonly issued: number;
  readonly quick: boolean;
  /** Where a prepared chain stays for the next run. */
  readonly keep: string | undefined;
  /** Settings of `--workers` to measure Data and Metrics with. */
  readonly workers: readonly string[];
};

/** The table, unless one of the others is asked for. */
export type Mode = 'table' | (typeof modes)[number];

const modes = ['scale', 'data', 'index-cost', 'follow'] as const;

export const usage = `npm run bench -- [--scale | --data | --index-cost | --follow] [--only name] [--seconds N] [--rounds N] [--quick]

  --only name    only rows whose name contains this
  --seconds N    length of one measured run, 1 to 60 (default 3)
  --rounds N     runs of each row on each server, 1 to 20 (default 3)
  --quick        1 second, 2 rounds: the whole table in under 3 minutes

With AVALANCHEGO set to its binary the ratios are to AvalancheGo, else to a bare server that answers the same bytes.
Instead of the table:

  --scale        costs at 10^6 UTXOs and 10^5 blocks against 10^4
  --data         Data and Metrics over 10^6 UTXOs and 10^6 transactions (--quick: 10^5), beside a bare server that answers the same bytes
  --keep DIR       where to make them, or to find them from a run before; it takes minutes and gigabytes
  --workers N      only with so many processes beside the one that writes; else both with auto and with 0
  --index-cost   accepted transactions per second with the index and without
  --follow       catching up with a node, AVALANCHEGO or else Serac, beside the rate at which it gives out its blocks`;

/** The options, or what is wrong with them. */
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
        quick: { type: 'boolean', default: false },
        scale: { type: 'boolean' },
        data: { type: 'boolean' },
        'index-cost': { type: 'boolean' },
        follow: { type: 'boolean' },
      },
    });
    const { quick, only, keep, workers } = values;
    const [mode = 'table', another] = modes.filter((name) => values[name]);
    if (another !== undefined) return `either --${mode} or --${another}`;
    const seconds = whole(values.seconds, 60) ?? (quick ? 1 : 3);
    const rounds = whole(values.rounds, 20) ?? (quick ? 2 : 3);
    return {
      mode,
      only,
      seconds,
      rounds,
      issued: quick ? 2000 : 4000,
      quick,
      keep,
      workers: workers === undefined ? ['auto', '0'] : [workers],
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function whole(text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) throw new RangeError(`${text} is no whole number from 1 to ${max}`);
  return value;
}
