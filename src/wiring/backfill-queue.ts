import { Refusal, type RefusalStatus, refuse } from '../api/refusal.ts';
import { type Address, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import type { PerAddress } from '../follow/per-address.ts';
import { bulk, marks, type Sizes, tuples } from '../index/bulk.ts';
import type { Sql, WritableSql } from '../index/sql.ts';
import { ask, runSteps } from '../index/steps.ts';
import { pause } from '../timing/pause.ts';
import type { Env } from './env.ts';

/**
 * A letter box in PostgreSQL between those who serve an index and the one who writes it: only that one follows a node, and some of what
 * addresses hold only the node knows. Whoever wants addresses completed puts them in and waits.
 * asked: number of the newest wish for the address; done: of the newest one that was seen to; trouble: why it could not be fulfilled.
 */
export async function makeWanted(sql: WritableSql): Promise<void> {
  await sql.write(async (tx) => {
    await tx.all('CREATE SEQUENCE IF NOT EXISTS wish', []);
    await tx.all(
      `CREATE TABLE IF NOT EXISTS wanted(address bytea PRIMARY KEY, asked bigint NOT NULL DEFAULT nextval('wish'),
       done bigint NOT NULL DEFAULT 0, trouble text)`,
      [],
    );
    await tx.all('CREATE INDEX IF NOT EXISTS wanted_open ON wanted(asked) WHERE done < asked', []);
  });
}

type Trouble = { readonly status: RefusalStatus; readonly message: string };

/** Milliseconds between two looks into the box on either side, and until whoever wants something gives up. */
const pauses = { seeing: 200, waiting: 50, patience: 10_000 } as const;

/** How many addresses are seen to at once, how many answers are kept for those who wait, and how often old ones are thrown away. */
const most = { atOnce: 64, kept: 10_000, thrown: 1000 } as const;

/** Sees to what others want, until it is stopped. What it was about to do then is left to whoever writes next. */
export function seeToWanted(sql: Sql, complete: PerAddress, { timers, report }: SeeingDeps): () => void {
  const underWay = new Set<string>();
  let cancel = () => {};
  let isStopped = false;
  let answered = 0;

  const unlessStopped = (error: unknown): void => {
    if (!isStopped) report(error);
  };

  const seeTo = async (address: Uint8Array, asked: number): Promise<void> => {
    const trouble = await complete([toHex(address) as Address]).then(() => null, troubleOf(report));
    if (isStopped) return;
    await sql.all('UPDATE wanted SET done = ?, trouble = ? WHERE address = ? AND done < ?', [asked, trouble, address, asked]);
    if (++answered % most.thrown === 0)
      await sql.all('DELETE FROM wanted WHERE done >= asked AND asked < (SELECT last_value FROM wish) - ?', [most.kept]);
  };

  const look = async (): Promise<void> => {
    const rows = await sql.all<{ address: Uint8Array; asked: number }>(
      'SELECT address, asked FROM wanted WHERE done < asked ORDER BY asked LIMIT ? + 0',
      [most.atOnce],
    );
    for (const { address, asked } of rows) {
      const name = toHex(address);
      if (underWay.has(name)) continue;
      underWay.add(name);
      seeTo(address, asked)
        .catch(unlessStopped)
        .finally(() => underWay.delete(name));
    }
  };

  const turn = async (): Promise<void> => {
    await look().catch(unlessStopped);
    if (!isStopped) cancel = timers.after(pauses.seeing, () => void turn());
  };
  void turn();
  return () => {
    isStopped = true;
    cancel();
  };
}

export type SeeingDeps = { readonly timers: Pick<Env['timers'], 'after'>; readonly report: (error: unknown) => void };

const troubleOf =
  (report: (error: unknown) => void) =>
  (error: unknown): string => {
    if (!(error instanceof Refusal)) report(error);
    const trouble: Trouble =
      error instanceof Refusal
        ? { status: error.fault.status, message: error.message }
        : { status: 503, message: 'The process that indexes could not fetch what blocks do not tell' };
    return JSON.stringify(trouble);
  };

/** Has an address completed by the process that indexes. Rejects with a `Refusal` if that one cannot do it, or is not there. */
export function createWishes(sql: Sql, { timers, now }: WishDeps): (address: Address) => Promise<void> {
  const insert = bulk(sizes, 1, (n) => `INSERT INTO wanted(address) VALUES ${tuples(n, 1)} ${again} RETURNING address, asked`);
  const select = bulk(sizes, 1, (n) => `SELECT address, done, trouble FROM wanted WHERE address IN (${marks(n)})`);
  const waiting = new Set<Wish>();
  let isTurning = false;

  const put = async (fresh: readonly Wish[]): Promise<void> => {
    // In one order everywhere: two who put the same ones in must not wait for each other.
    const addresses = [...new Set(fresh.map(({ address }) => address))].sort();
    const rows = await runSteps(sql, ask<{ address: Uint8Array; asked: number }>(insert(addresses.map(addressToBytes))));
    const asked = new Map(rows.map((row) => [toHex(row.address), row.asked]));
    for (const wish of fresh) wish.asked = asked.get(wish.address);
  };

  const look = async (): Promise<void> => {
    // Those that came since the last ones were put in have their turn later.
    const wishes = [...waiting].filter(isPut);
    const addresses = [...new Set(wishes.map(({ address }) => address))];
    const rows = await runSteps(sql, ask<WantedRow>(select(addresses.map(addressToBytes))));
    const found = new Map(rows.map((row) => [toHex(row.address), row]));
    for (const wish of wishes) {
      const row = found.get(wish.address);
      // Answers are thrown away when many others have been given since.
      if (row === undefined || row.done >= wish.asked) settle(wish, row?.trouble ? (JSON.parse(row.trouble) as Trouble) : undefined);
    }
    const late = wishes.filter((wish) => waiting.has(wish) && now() > wish.until);
    for (const wish of late) settle(wish, nobodyThere);
    // Those who wanted it earlier have given up as well.
    const remove = 'DELETE FROM wanted WHERE address = ? AND asked = ? AND done < asked';
    await Promise.all(late.map(({ address, asked }) => sql.all(remove, [addressToBytes(address), asked])));
  };

  const settle = (wish: Wish, trouble: Trouble | undefined): void => {
    waiting.delete(wish);
    if (trouble === undefined) wish.resolve();
    else wish.reject(refuse(trouble.status, trouble.message));
  };

  const turn = async (): Promise<void> => {
    while (waiting.size > 0)
      try {
        const fresh = [...waiting].filter((wish) => !isPut(wish));
        if (fresh.length > 0) await put(fresh);
        await pause(timers, pauses.waiting);
        await look();
      } catch (error) {
        for (const wish of waiting) wish.reject(error);
        waiting.clear();
      }
    isTurning = false;
  };

  return (address) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add({ address, until: now() + pauses.patience, resolve, reject, asked: undefined });
    if (!isTurning) {
      isTurning = true;
      void turn();
    }
    return promise;
  };
}

const sizes: Sizes = [512, 64, 8, 1];

const again = `ON CONFLICT (address) DO UPDATE SET asked = nextval('wish')`;

export type WishDeps = {
  readonly timers: Pick<Env['timers'], 'after'>;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
};

type Wish = {
  readonly address: Address;
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  asked: number | undefined;
};

const isPut = (wish: Wish): wish is Wish & { asked: number } => wish.asked !== undefined;

type WantedRow = { readonly address: Uint8Array; readonly done: number; readonly trouble: string | null };

const nobodyThere: Trouble = {
  status: 503,
  message: 'The process that indexes is needed for what blocks do not tell, and has not answered for ten seconds',
};
