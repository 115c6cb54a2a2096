import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import type { ExportShelf, OpenExport } from '../index-write/exported-outputs.ts';
import { nonsense } from './fault.ts';
import { type PerAddress, perAddress } from './per-address.ts';
import type { ForeignChain, Remote } from './remote.ts';
import { utxoPages } from './utxo-pages.ts';

export type TakenDeps = {
  readonly remote: Pick<Remote, 'height' | 'utxos'>;
  readonly shelf: ExportShelf;
  /** The other chains of the network by what the node calls them; of any further one it cannot be asked. */
  readonly foreign: { readonly [C in ForeignChain]: Id };
  /** Milliseconds that only go forward. */
  readonly now: () => number;
};

/** Milliseconds for which what the node said of an address is believed. */
const believed = 2000;

const chains: readonly ForeignChain[] = ['P', 'C'];

/**
 * Finds out what of an address's exports the other chains have taken: no block of this chain tells. The node runs those chains as well, and
 * lists what is still there. An address without an open export costs no question.
 */
export const completeTaken = ({ remote, shelf, foreign, now }: TakenDeps): PerAddress =>
  perAddress(
    async (address) => {
      const open = await shelf.open(address);
      const asked = chains.filter((chain) => open.some(({ destination }) => destination === foreign[chain]));
      if (asked.length === 0) return;
      await checkLevel(remote, open);
      const gone = await Promise.all(asked.map((chain) => goneFrom(remote, chain, address, ofChain(open, foreign[chain]))));
      if (gone.flat().length > 0) await shelf.take(gone.flat());
    },
    { atOnce: 8, holds: { milliseconds: believed, now } },
  );

const ofChain = (open: readonly OpenExport[], chain: Id) => open.filter(({ destination }) => destination === chain);

/** A node that has not got as far (put back to an earlier state, say) does not list what it has not exported yet: that would look as if it were gone. */
async function checkLevel(remote: Pick<Remote, 'height'>, open: readonly OpenExport[]): Promise<void> {
  const newest = open.reduce((most, { height }) => Math.max(most, height), 0);
  const height = await remote.height();
  if (height < newest) throw nonsense('avm.getHeight', `its last block is ${height}, but it gave block ${newest} before`);
}

async function goneFrom(remote: Pick<Remote, 'utxos'>, of: ForeignChain, address: Address, open: readonly OpenExport[]) {
  const there = new Set<Id>();
  for await (const utxos of utxoPages(remote, of, address)) for (const { id } of utxos) there.add(id);
  return open.filter(({ id }) => !there.has(id));
}
