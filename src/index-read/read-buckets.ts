import { hourOf, unitStart } from '../index/calendar.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import type { SpanEntry } from '../index/span.ts';
import { ask, askTogether, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, type Unit, units } from '../index/tables.ts';
import type { Totals } from './index-reads.ts';

export type SpanReads = {
  readonly spans: (unit: Unit, from: number, to: number, limit: number) => Steps<SpanEntry[]>;
  readonly spanBefore: (unit: Unit, before: number) => Steps<SpanEntry | undefined>;
  readonly totals: <T extends keyof Totals>(of: T, times: readonly number[]) => Steps<Totals[T][]>;
  readonly addressesBefore: (time: number) => Steps<number>;
};

export function spanReads(t: IndexTables): SpanReads {
  const columns = `SELECT start, txs, blocks, active, senders, addresses, fees, max_tps, last FROM ${t.span} WHERE unit = ?`;
  const newestFirst = `${columns} AND start >= ? AND start < ? ORDER BY start DESC LIMIT ? + 0`;
  const firstHour = `SELECT min(start) AS start FROM ${t.span} WHERE unit = ?`;
  const secondsIn = `SELECT txs, fees, rate FROM ${t.second} WHERE time >= ? AND time < ?`;
  const firstIn = `SELECT count(*) AS n FROM ${t.holder} WHERE first >= ? AND first < ?`;
  const spansIn = (unit: Unit, from: number, to: number, limit = noEnd): Query => ({
    text: newestFirst,
    values: [units[unit], from, to, limit],
  });
  /** Spans that together cover a time that begins and ends with an hour, as few as can be. */
  const covering = (from: number, to: number): Query[] => pieces(from, to).map(({ unit, from, to }) => spansIn(unit, from, to));

  function* firstSeen(from: number, to: number): Steps<number> {
    // Those of the genesis are in no span: they are counted one by one, with those of the first hour.
    const [row] = yield* ask<{ start: number | null }>([{ text: firstHour, values: [units.hour] }]);
    const counted = Math.max(from, Math.min(to, row?.start == null ? to : row.start + 3600));
    const hour = Math.min(to, nextHour(counted));
    const lastHour = Math.max(hour, hourOf(to));
    const rows = yield* askTogether({
      early: [{ text: firstIn, values: [from, hour] }],
      spans: covering(hour, lastHour),
      late: [{ text: firstIn, values: [lastHour, to] }],
    });
    return countIn(rows.early) + countIn(rows.late) + (rows.spans as SpanRow[]).reduce((sum, { addresses }) => sum + addresses, 0);
  }

  /** What spans and seconds since each time add up to. */
  const summed = <V>(sum: (all: readonly Counted[]) => V) =>
    function* (froms: readonly number[]): Steps<V[]> {
      const values: V[] = [];
      for (const from of froms) {
        const next = nextHour(from);
        const rows = yield* askTogether({ spans: covering(next, noEnd), seconds: [{ text: secondsIn, values: [from, next] }] });
        const seconds = (rows.seconds as SecondRow[]).map(({ txs, fees, rate }) => ({ txs, fees: sumFromBytes(fees), maxTps: rate }));
        values.push(sum([...(rows.spans as SpanRow[]).map(entryOf), ...seconds]));
      }
      return values;
    };

  /**
   * An address counts where it was active last. Each is counted once, in the part of time between two neighbouring times, and all parts in
   * one statement: who is active meanwhile must not fall between them. Whole hours are counted in the index alone.
   */
  const activeSince = (column: 'seen' | 'sent') =>
    function* (froms: readonly number[]): Steps<number[]> {
      const [hour, at] = [`${column}_hour`, column];
      const counts: string[] = [];
      const values: number[] = [];
      const count = (condition: string, ...of: number[]): string => {
        values.push(...of);
        return `(SELECT count(*) FROM ${t.holder} WHERE ${condition})`;
      };
      for (const [i, from] of froms.entries()) {
        const to = froms[i - 1] ?? noEnd;
        const [first, last] = [hourOf(from), hourOf(to)];
        counts.push(
          first === last
            ? count(`${hour} = ? AND ${at} >= ? AND ${at} < ?`, first, from, to)
            : [
                count(`${hour} > ? AND ${hour} < ?`, first, last),
                count(`${hour} = ? AND ${at} >= ?`, first, from),
                count(`${hour} = ? AND ${at} < ?`, last, to),
              ].join(' + '),
        );
      }
      const [row] = yield* ask<Record<string, number>>([
        { text: `SELECT ${counts.map((sum, i) => `${sum} AS n${i}`).join(', ')}`, values },
      ]);
      let total = 0;
      return froms.map((_, i) => {
        total += row?.[`n${i}`] ?? 0;
        return total;
      });
    };

  const totalOf: { readonly [T in keyof Totals]: (froms: readonly number[]) => Steps<Totals[T][]> } = {
    txs: summed((all) => all.reduce((sum, { txs }) => sum + txs, 0)),
    fees: summed((all) => all.reduce((sum, { fees }) => sum + fees, 0n)),
    maxTps: summed((all) => all.reduce((most, { maxTps }) => Math.max(most, maxTps), 0)),
    activeAddresses: activeSince('seen'),
    activeSenders: activeSince('sent'),
    newAddresses: function* (froms) {
      const values: number[] = [];
      for (const from of froms) values.push(yield* firstSeen(from, noEnd));
      return values;
    },
  };

  return {
    spans: function* (unit, from, to, limit) {
      return (yield* ask<SpanRow>([spansIn(unit, from, to, limit)])).map(entryOf);
    },
    spanBefore: function* (unit, before) {
      const [row] = yield* ask<SpanRow>([spansIn(unit, 0, before, 1)]);
      return row && entryOf(row);
    },
    totals: function* <T extends keyof Totals>(of: T, times: readonly number[]): Steps<Totals[T][]> {
      // Nothing that is counted is older than the epoch; 0 stands for never.
      const froms = of === 'newAddresses' ? times : times.map((time) => Math.max(time, 1));
      return yield* (totalOf[of] as (froms: readonly number[]) => Steps<Totals[T][]>)(froms);
    },
    addressesBefore: (time) => firstSeen(0, time),
  };
}

/** The first hour that begins at a time or after it. */
const nextHour = (time: number): number => (hourOf(time) === time ? time : hourOf(time) + 3600);

/** Later than anything. */
const noEnd = 2 ** 52;

/** Hours to the end of a day, days to the end of a month, whole months; then days and hours again. */
function pieces(from: number, to: number): { readonly unit: Unit; readonly from: number; readonly to: number }[] {
  const found: { unit: Unit; from: number; to: number }[] = [];
  const add = (unit: Unit, from: number, to: number): void => {
    if (from < to) found.push({ unit, from, to });
  };
  const [firstDay, firstMonth] = [startFrom('day', from), startFrom('month', from)];
  const [lastDay, lastMonth] = [Math.max(firstDay, unitStart('day', to)), Math.max(firstMonth, unitStart('month', to))];
  add('hour', from, Math.min(firstDay, to));
  add('day', firstDay, Math.min(firstMonth, lastDay, to));
  add('month', firstMonth, Math.min(lastMonth, to));
  add('day', lastMonth, Math.min(lastDay, to));
  add('hour', lastDay, to);
  return found;
}

/** The first unit that begins at a time or after it. */
function startFrom(unit: 'day' | 'month', time: number): number {
  const start = unitStart(unit, time);
  if (start === time) return time;
  const longest = { day: 86_400, month: 31 * 86_400 }[unit];
  return unitStart(unit, start + longest);
}

const countIn = (rows: readonly unknown[]): number => (rows[0] as { n: number } | undefined)?.n ?? 0;

type Counted = Pick<SpanEntry, 'txs' | 'fees' | 'maxTps'>;
type SpanRow = Omit<SpanEntry, 'fees' | 'maxTps'> & { readonly fees: Uint8Array; readonly max_tps: number };
type SecondRow = { readonly txs: number; readonly fees: Uint8Array; readonly rate: number };

const entryOf = ({ fees, max_tps, ...span }: SpanRow): SpanEntry => ({ ...span, fees: sumFromBytes(fees), maxTps: max_tps });
