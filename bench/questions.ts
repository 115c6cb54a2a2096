import type { Mode } from './options.ts';
import type { Unit } from './report.ts';

/** A question that docs/operate/performance.md answers with one figure of the bench. */
export type Question = {
  readonly question: string;
  /** The mode of the bench that measures the figure, and the row of its table: the first whose name begins with this. */
  readonly mode: Mode;
  readonly row: string;
  readonly unit: Unit;
  /** AvalancheGo is measured in the same run: without it, the figure is not recorded. */
  readonly isBesideAvalancheGo: boolean;
  /** The README has the figure too. */
  readonly isInReadme: boolean;
};

export const questions: readonly Question[] = [
  {
    question: 'How many transactions per second are accepted and on disk?',
    mode: 'table',
    row: 'issueTx accepted',
    unit: '/s',
    isBesideAvalancheGo: true,
    isInReadme: true,
  },
  {
    question: 'How many transactions are read per second (`avm.getTx`, JSON)?',
    mode: 'table',
    row: 'getTx json 1 out',
    unit: '/s',
    isBesideAvalancheGo: true,
    isInReadme: true,
  },
  {
    question: 'How many lists of 100 UTXOs are read per second (`avm.getUTXOs`)?',
    mode: 'table',
    row: 'getUTXOs limit 100',
    unit: '/s',
    isBesideAvalancheGo: true,
    isInReadme: false,
  },
  {
    question: 'How much CPU time does a page of 100 transactions of the Data API take, if it is in no cache?',
    mode: 'data',
    row: 'transactions, first page, CPU time',
    unit: 'ms',
    isBesideAvalancheGo: false,
    isInReadme: false,
  },
  {
    question: 'How much memory does an idle node take?',
    mode: 'table',
    row: 'idle memory',
    unit: 'MB',
    isBesideAvalancheGo: true,
    isInReadme: false,
  },
  {
    question: 'How much memory does it take under mixed reads over 16 connections, after 5,000 transactions?',
    mode: 'table',
    row: 'memory under mixed reads',
    unit: 'MB',
    isBesideAvalancheGo: false,
    isInReadme: false,
  },
  {
    question: 'How long does a start take until the node is healthy?',
    mode: 'table',
    row: 'start to healthy',
    unit: 'ms',
    isBesideAvalancheGo: true,
    isInReadme: true,
  },
  {
    question: 'How long does it take after `kill -9`, with 100,000 transactions?',
    mode: 'restart',
    row: 'kill -9 to healthy',
    unit: 'ms',
    isBesideAvalancheGo: false,
    isInReadme: false,
  },
  {
    question: 'How many bytes on disk does a transfer take, index included?',
    mode: 'transfer',
    row: 'bytes on disk',
    unit: 'bytes',
    isBesideAvalancheGo: false,
    isInReadme: false,
  },
  {
    question: 'How many blocks per second does a new node of a network fetch and verify (100,000 blocks)?',
    mode: 'p2p',
    row: 'bootstrap of 100,000 blocks',
    unit: '/s',
    isBesideAvalancheGo: true,
    isInReadme: false,
  },
  {
    question: 'How much memory does it take afterwards?',
    mode: 'p2p',
    row: 'memory after bootstrap',
    unit: 'MB',
    isBesideAvalancheGo: true,
    isInReadme: false,
  },
  {
    question: 'How long does a network of five nodes take from issue to acceptance on all of them?',
    mode: 'p2p',
    row: 'issue to acceptance, 5 nodes, median',
    unit: 'ms',
    isBesideAvalancheGo: true,
    isInReadme: false,
  },
  {
    question: 'How many of the first 1,000 transactions after a start are accepted per second?',
    mode: 'table',
    row: 'first 1,000 accepted after a start',
    unit: '/s',
    isBesideAvalancheGo: true,
    isInReadme: false,
  },
  {
    question: 'How many of the next 4,000?',
    mode: 'table',
    row: 'next 4,000 accepted after a start',
    unit: '/s',
    isBesideAvalancheGo: true,
    isInReadme: false,
  },
  {
    question: 'How much CPU time does a client command take?',
    mode: 'table',
    row: 'client command, CPU time',
    unit: 'ms',
    isBesideAvalancheGo: false,
    isInReadme: false,
  },
];
