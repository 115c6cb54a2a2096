import { parseArgs } from 'node:util';

/** What a bench run is told. */
export type Options = {
  /** Only rows whose name contains this. */
  readonly only: string | undefined;
  /** Length of one measured run. */
  readonly seconds: number;
  /** Measured runs of each row on each server. */
  readonly rounds: number;
  /** Transactions in one run of issueTx. */
  readonly issued: number;
  readonly scale: boolean;
};

export const usage = `npm run bench -- [--only name] [--seconds N] [--rounds N] [--quick] [--scale]

  --only name    only rows whose name contains this
  --seconds N    length of one measured run, 1 to 60 (default 3)
  --rounds N     runs of each row on each server, 1 to 20 (default 3)
  --quick        1 second, 2 rounds: the whole table in under 3 minutes
  --scale        instead of the table: costs at 10^6 UTXOs and 10^5 blocks against 10^4

With AVALANCHEGO set to its binary the ratios are to AvalancheGo, else to a bare server that answers the same bytes.`;

/** The options, or what is wrong with them. */
export function parseOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        scale: { type: 'boolean', default: false },
      },
    });
    const seconds = whole(values.seconds, 60) ?? (values.quick ? 1 : 3);
    const rounds = whole(values.rounds, 20) ?? (values.quick ? 2 : 3);
    return { only: values.only, seconds, rounds, issued: values.quick ? 2000 : 4000, scale: values.scale };
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
