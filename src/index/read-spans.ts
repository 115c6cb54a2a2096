import { hourOf, unitStart } from './calendar.ts';
import type { SpanEntry, Totals } from './reads.ts';
import { ask, askTogether, type Query, type Steps } from './steps.ts';
import { type IndexTables, type Unit, units } from './tables.ts';
import { sumFromBytes } from './worth.ts';

export type SpanReads = {
  readonly spans: (unit: Unit, from: number, to: number, limit: number) => Steps<SpanEntry[]>;
  readonly spanBefore: (unit: Unit, before: number) => Steps<SpanEntry | undefined>;
  readonly totals: (from: number) => Steps<Totals>;
  readonly addressesBefore: (time: number) => Steps<number>;
};

export function spanReads(t: IndexTables): SpanReads {
  const columns = `SELECT start, txs, blocks, active, senders, addresses, fees, max_tps, last FROM ${t.span} WHERE unit = ?`;
  const newestFirst = `${columns} AND start >= ? AND start < ? ORDER BY start DESC LIMIT ? + 0`;
  const firstHour = `SELECT min(start) AS start FROM ${t.span} WHERE unit = ?`;
  const secondsIn = `SELECT txs, fees, rate FROM ${t.second} WHERE time >= ? AND time < ?`;
  const firstIn = `SELECT count(*) AS n FROM ${t.holder} WHERE first >= ? AND first < ?`;
  const activeSince = (column: 'seen' | 'sent') => `SELECT
    (SELECT count(*) FROM ${t.holder} WHERE ${column}_hour > ?) +
    (SELECT count(*) FROM ${t.holder} WHERE ${column}_hour = ? AND ${column} >= ?) AS n`;

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

  return {
    spans: function* (unit, from, to, limit) {
      return (yield* ask<SpanRow>([spansIn(unit, from, to, limit)])).map(entryOf);
    },
    spanBefore: function* (unit, before) {
      const [row] = yield* ask<SpanRow>([spansIn(unit, 0, before, 1)]);
      return row && entryOf(row);
    },
    totals: function* (asked) {
      // Nothing that is counted is older than the epoch; 0 stands for never.
      const from = Math.max(asked, 1);
      const hour = hourOf(from);
      const next = nextHour(from);
      const rows = yield* askTogether({
        spans: covering(next, noEnd),
        seconds: [{ text: secondsIn, values: [from, next] }],
        active: [{ text: activeSince('seen'), values: [hour, hour, from] }],
        senders: [{ text: activeSince('sent'), values: [hour, hour, from] }],
      });
      const spans = (rows.spans as SpanRow[]).map(entryOf);
      const seconds = (rows.seconds as SecondRow[]).map(({ txs, fees, rate }) => ({ txs, fees: sumFromBytes(fees), maxTps: rate }));
      const all = [...spans, ...seconds];
      return {
        txs: all.reduce((sum, { txs }) => sum + txs, 0),
        fees: all.reduce((sum, { fees }) => sum + fees, 0n),
        maxTps: all.reduce((most, { maxTps }) => Math.max(most, maxTps), 0),
        activeAddresses: countIn(rows.active),
        activeSenders: countIn(rows.senders),
        newAddresses: yield* firstSeen(asked, noEnd),
      };
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

type SpanRow = Omit<SpanEntry, 'fees' | 'maxTps'> & { readonly fees: Uint8Array; readonly max_tps: number };
type SecondRow = { readonly txs: number; readonly fees: Uint8Array; readonly rate: number };

const entryOf = ({ fees, max_tps, ...span }: SpanRow): SpanEntry => ({ ...span, fees: sumFromBytes(fees), maxTps: max_tps });
