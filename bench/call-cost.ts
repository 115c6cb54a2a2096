import { openChainStore } from './chain-store.ts';
import { BenchError } from './fault.ts';
import type { Requests } from './load.ts';
import type { Sides } from './measure.ts';
import { createUncachedApi } from './uncached-api.ts';

/** What calls cost in this process, without HTTP and without cached responses and items. */
type CallCost = { readonly micros: number; readonly statements: number };

/** A chain whose calls are measured. */
type CostedChain = {
  /** Runs the calls; returns the cost of one. */
  readonly run: (calls: Requests) => Promise<CallCost>;
  readonly close: () => void;
};

export async function openCostedChain(dir: string): Promise<CostedChain> {
  let statements = 0;
  const store = openChainStore(dir, 'read', {
    wrapDatabase: (db) => ({
      ...db,
      prepare: <Row>(sql: string) => {
        const { run, get, all } = db.prepare<Row>(sql);
        const count = <Values extends unknown[], Result>(read: (...values: Values) => Result) => {
          return (...values: Values): Result => {
            statements++;
            return read(...values);
          };
        };
        return { run, get: count(get), all: count(all) };
      },
    }),
  });
  const { history: reads, explorer } = store;
  if (reads === undefined) throw new BenchError('the history index is disabled');
  const respond = createUncachedApi({ reads, explorer, pageSecret: store.pageSecret() }, 0);
  return {
    run: async (calls) => {
      statements = 0;
      const before = process.cpuUsage();
      for (const call of calls) await respond(call);
      const { user, system } = process.cpuUsage(before);
      return { micros: (user + system) / calls.length, statements: statements / calls.length };
    },
    close: store.close,
  };
}

/**
 * Measures the same calls on two chains in turns: the machine's load changes within seconds, so only turns next to each other can be compared.
 * Returns the cheapest turn of each; the first is not counted, because hot code is compiled in it.
 */
export async function compareCosts(
  chains: Sides<CostedChain>,
  callsAt: (side: keyof Sides<unknown>, turn: number) => Requests,
): Promise<Sides<CallCost>> {
  const costs: { ours: CallCost[]; theirs: CallCost[] } = { ours: [], theirs: [] };
  for (let turn = 0; turn < turns; turn++)
    for (const side of ['ours', 'theirs'] as const) costs[side].push(await chains[side].run(callsAt(side, turn)));
  const cheapest = (all: readonly CallCost[]) => all.slice(1).reduce((a, b) => (b.micros < a.micros ? b : a));
  return { ours: cheapest(costs.ours), theirs: cheapest(costs.theirs) };
}

const turns = 6;

/** A line of the table: CPU time and statements of both, and the quotient of the times. */
export function formatCosts(name: string, { ours, theirs }: Sides<CallCost>): string {
  const cost = ({ micros, statements }: CallCost) =>
    `${Math.round(micros).toLocaleString('en').padStart(9)} ${statements.toFixed(1).padStart(6)}`;
  return `  ${name.padEnd(44)}${cost(ours)}${cost(theirs)}${(ours.micros / theirs.micros).toFixed(2).padStart(8)}`;
}
