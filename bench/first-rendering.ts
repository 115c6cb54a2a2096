import type { DataRow } from './data-rows.ts';
import type { LoadCall } from './socket-load.ts';
import { createUncachedApi, type UncachedChain } from './uncached-api.ts';

/**
 * Microseconds of CPU time per response, in process: `known` with all items in the piece cache, `live` after each of the last blocks, with the
 * items of earlier blocks in the piece cache (undefined for rows without such calls), `first` with items that are rendered for the first time, `empty` with empty caches, so that every signer's public key is read from the database. In `first` keys are cached by the calls
 * before; the calls for any page have other signers each time, so there some keys are read too.
 */
type RenderingCost = {
  readonly known: number;
  readonly live: number | undefined;
  readonly first: number;
  readonly empty: number;
};

/** Measures what the routes of each row cost without HTTP and without the response cache. */
export async function measureRendering(chain: UncachedChain, rows: readonly DataRow[]): Promise<ReadonlyMap<DataRow, RenderingCost>> {
  const costs = new Map<DataRow, RenderingCost>();
  const [withPieces, withoutPieces] = [createUncachedApi(chain, pieceCacheBytes), createUncachedApi(chain, 0)];
  for (const row of rows) {
    const { count, call } = row.cold;
    const differentCall = (at: number) => call(at % count);
    // A page of other items in each call would not be known.
    const sameItems = row.list?.page === 'any' ? () => call(0) : differentCall;
    costs.set(row, {
      known: await measureCpu(() => withPieces, sameItems),
      live: row.live && (await measureLive(createUncachedApi(chain, pieceCacheBytes), row.live)),
      first: await measureCpu(() => withoutPieces, differentCall),
      empty: await measureCpu(() => createUncachedApi(chain, 0), differentCall, freshCalls),
    });
  }
  return costs;
}

export function formatRendering(costs: ReadonlyMap<DataRow, RenderingCost>): string[] {
  const number = (value: number | undefined) => (value === undefined ? '-' : Math.round(value).toLocaleString('en')).padStart(9);
  const lines = [...costs].map(
    ([{ name }, { known, live, first, empty }]) => `  ${name.padEnd(44)}${number(known)}${number(live)}${number(first)}${number(empty)}`,
  );
  return [
    'CPU µs per response, in process: items known; after a new block; items rendered for the first time (any page: also some signers seen first); all caches empty:',
    ...lines,
  ];
}

/** Runs calls for some time to compile hot code, then measures them for as long. `calls` limits their number. */
async function measureCpu(
  api: () => (call: LoadCall) => Promise<void>,
  callAt: (at: number) => LoadCall,
  calls = Number.POSITIVE_INFINITY,
): Promise<number> {
  let at = 0;
  let micros = 0;
  let measured = 0;
  const end = performance.now() + 2 * halfMs;
  while (measured === 0 || (performance.now() < end && at < calls)) {
    const respond = api();
    // Some calls are expensive to make: the address of a row is derived from its key.
    const call = callAt(at++);
    const before = process.cpuUsage();
    await respond(call);
    const { user, system } = process.cpuUsage(before);
    if (performance.now() < end - halfMs && at < calls / 2) continue;
    micros += user + system;
    measured++;
  }
  return micros / measured;
}

/** Asks for the page of each block once, oldest first. The first quarter is not measured: it compiles hot code and fills the piece cache. */
async function measureLive(respond: (call: LoadCall) => Promise<void>, { count, call }: NonNullable<DataRow['live']>): Promise<number> {
  const start = Math.floor(count / 4);
  for (let at = 0; at < start; at++) await respond(call(at));
  const before = process.cpuUsage();
  for (let at = start; at < count; at++) await respond(call(at));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (count - start);
}

const halfMs = 400;
const freshCalls = 40;
const pieceCacheBytes = 32 * 1024 * 1024;
