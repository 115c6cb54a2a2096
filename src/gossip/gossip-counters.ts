/** What gossip counts since it started. */
export type GossipCounters = {
  readonly sentPush: Amount;
  readonly sentPull: Amount;
  readonly receivedPush: Amount;
  readonly receivedPull: Amount;
  /** Transactions of this node: not yet pushed, and pushed. */
  readonly tracking: { readonly unsent: number; readonly sent: number };
  /** Transactions of peers: added to the mempool, refused, dropped because too many waited. */
  readonly received: { readonly added: number; readonly refused: number; readonly dropped: number };
  readonly filter: { readonly count: number; readonly max: number };
};

export type Amount = { readonly count: number; readonly bytes: number };

type Kind = 'sentPush' | 'sentPull' | 'receivedPush' | 'receivedPull';

export function createGossipCounters() {
  const amounts: Record<Kind, { count: number; bytes: number }> = {
    sentPush: { count: 0, bytes: 0 },
    sentPull: { count: 0, bytes: 0 },
    receivedPush: { count: 0, bytes: 0 },
    receivedPull: { count: 0, bytes: 0 },
  };
  const counter = (kind: Kind) => (items: readonly Uint8Array[]) => {
    amounts[kind].count += items.length;
    for (const { length } of items) amounts[kind].bytes += length;
  };
  return {
    sentPush: counter('sentPush'),
    sentPull: counter('sentPull'),
    receivedPush: counter('receivedPush'),
    receivedPull: counter('receivedPull'),
    read: (
      tracking: GossipCounters['tracking'],
      received: GossipCounters['received'],
      filter: GossipCounters['filter'],
    ): GossipCounters => ({ ...amounts, tracking, received, filter }),
  };
}
