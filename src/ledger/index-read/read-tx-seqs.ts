import { addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { equal } from '../../base/bytes/octets.ts';
import { arrayText } from '../index/key-array.ts';
import type { Sql } from '../index/sql.ts';
import { type IndexTables, txKinds } from '../index/tables.ts';
import { createRunReads, plainBounds, type RunBounds, seqsInRuns } from '../index/transfer-runs.ts';
import { type Queries, runTogether } from '../store/queries.ts';
import type { QueriesOf, Subject, TxKind, TxQuery } from './index-reads.ts';
import { mergeSources, type RowSource } from './merge.ts';
import type { BlockReads } from './read-blocks.ts';

/** Reads the numbers of transactions of subjects. */
export function createTxSeqReads(
  t: IndexTables,
  feeAsset: Id,
  blocks: Pick<BlockReads, 'bounds' | 'lastTxBefore'>,
  dialect: Sql['dialect'],
): QueriesOf<'txSeqs'>['txSeqs'] {
  const textsWithin = ({ low, high }: RunBounds) => {
    const ofOne = (subject: string, kind: string, order: string) =>
      `SELECT tx AS seq FROM ${t.history} WHERE subject = ${subject} AND kind = ${kind} AND tx > ${low} AND tx < ${high} ORDER BY tx ${order} LIMIT ? + 0`;
    // PostgreSQL merges the ranges itself: a page of any number of addresses is one statement, and few of its rows are sent.
    const ofAll = (order: string) => `SELECT DISTINCT h.seq FROM unnest(CAST(? AS bytea[])) AS s(subject)
      CROSS JOIN unnest(CAST(? AS bigint[])) AS k(kind) CROSS JOIN LATERAL (${ofOne('s.subject', 'k.kind', order)}) h ORDER BY h.seq ${order} LIMIT ? + 0`;
    return {
      one: { asc: ofOne('?', '?', 'ASC'), desc: ofOne('?', '?', 'DESC') },
      all: { asc: ofAll('ASC'), desc: ofAll('DESC') },
      runs: createRunReads(t.history, { low, high }),
    };
  };
  const plain = textsWithin(plainBounds);
  // The last transactions before two times are looked up within the statement that needs them: to ask for them first costs a round trip.
  const timed = textsWithin({ low: `greatest(?, ${blocks.lastTxBefore})`, high: `least(?, ${blocks.lastTxBefore} + 1)` });
  // On PostgreSQL another round trip takes longer than to read a thousand numbers.
  const rowsPerRound = dialect === 'sqlite' ? undefined : 2048;
  const feeSubject = idToBytes(feeAsset);
  const hasRuns = (subject: Uint8Array): boolean => subject.length === 0 || equal(subject, feeSubject);

  return function* txSeqs({ pin, subjects, kinds = allKinds, times, after, order, limit }: TxQuery): Queries<number[]> {
    // Both bounds are exclusive.
    let low = order === 'asc' ? (after ?? 0) : 0;
    let high = Math.min(pin.lastTx + 1, order === 'desc' ? (after ?? noEnd) : noEnd);
    function* narrowToTimes(): Queries<void> {
      const { before, last } = yield* blocks.bounds(times, pin);
      low = Math.max(low, before?.lastTx ?? 0);
      if (times.to !== undefined) high = Math.min(high, (last?.lastTx ?? 0) + 1);
    }
    // All transactions of the chain: their numbers are consecutive.
    if (subjects === undefined && kinds === allKinds) {
      yield* narrowToTimes();
      return low + 1 < high ? seqsInRuns([{ first: low + 1, last: high - 1 }], order, limit) : [];
    }
    const isTimed = times.from !== undefined || times.to !== undefined;
    const narrowsInSql = isTimed && dialect === 'postgres';
    if (!narrowsInSql) yield* narrowToTimes();
    const rangeAfter = (from: Row | undefined): readonly [low: number, high: number] =>
      order === 'asc' ? [from?.seq ?? low, high] : [low, from?.seq ?? high];
    /** The texts and bounds of a batch: with the first one, PostgreSQL looks up the times. */
    const batchAfter = (from: Row | undefined) =>
      narrowsInSql && from === undefined
        ? { texts: timed, low: [low, times.from ?? 0], high: [high, times.to ?? noEnd] }
        : { texts: plain, low: [rangeAfter(from)[0]], high: [rangeAfter(from)[1]] };

    const rowsOf = (subject: Uint8Array, kind: TxKind): RowSource<Row> => ({
      queryAfter: (from, count) => {
        const { texts, low, high } = batchAfter(from);
        return { text: texts.one[order], values: [subject, txKinds[kind], ...low, ...high, count] };
      },
    });
    const rowsOfAll = (all: readonly Uint8Array[], listed: readonly TxKind[]): RowSource<Row>[] => {
      if (dialect !== 'postgres') return all.flatMap((subject) => listed.map((kind) => rowsOf(subject, kind)));
      const keys = [arrayText(all), arrayText(listed.map((kind) => txKinds[kind]))];
      const queryAfter: RowSource<Row>['queryAfter'] = (from, count) => {
        const { texts, low, high } = batchAfter(from);
        return { text: texts.all[order], values: [...keys, ...low, ...high, count, count] };
      };
      return all.length === 0 || listed.length === 0 ? [] : [{ queryAfter }];
    };
    const runsOf = (subject: Uint8Array): RowSource<Row> => ({
      queryAfter: (from, count) => {
        const { texts, low, high } = batchAfter(from);
        return texts.runs.query(subject, low, high, order, count);
      },
      rowsFrom: (found, from, count) => {
        const { runs: inRange } = plain.runs.runsOf(found as { boundary: number }[], ...rangeAfter(from), order, count);
        return seqsInRuns(inRange, order, count).map((seq) => ({ seq }));
      },
    });
    const { true: withRuns = [], false: others = [] } = Object.groupBy(subjectKeys(subjects), (subject) => `${hasRuns(subject)}`);
    const sources = [
      ...(kinds.includes('BaseTx') ? withRuns.map(runsOf) : []),
      ...rowsOfAll(
        withRuns,
        kinds.filter((kind) => kind !== 'BaseTx'),
      ),
      ...rowsOfAll(others, kinds),
    ];
    const compare = order === 'asc' ? ascending : descending;
    const page = mergeSources({ sources, compare, toItem: ({ seq }: Row) => seq, limit, rowsPerRound });
    if (!narrowsInSql) return (yield* page).items;
    const [, { items }] = yield* runTogether(narrowToTimes(), page);
    return items;
  };
}

type Row = { readonly seq: number };

const ascending = (a: Row, b: Row): number => a.seq - b.seq;
const descending = (a: Row, b: Row): number => b.seq - a.seq;

const allKinds = Object.keys(txKinds) as TxKind[];

/** Later than any block, and above the number of any transaction. */
const noEnd = 2 ** 52;

/** Subject of the whole chain in the `history` table. */
const wholeChain = new Uint8Array(0);

const subjectKeys = (subjects: readonly Subject[] | undefined): Uint8Array[] =>
  subjects?.map((subject) => ('address' in subject ? addressToBytes(subject.address) : idToBytes(subject.asset))) ?? [wholeChain];
