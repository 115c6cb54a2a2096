import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { ExportedOutputs, UnspentExport } from '../../ledger/index-write/exported-outputs.ts';
import { type AddressTask, createAddressTask } from './address-task.ts';
import type { ForeignChain, Remote } from './remote.ts';
import { listUtxoPages } from './utxo-pages.ts';

/** Milliseconds after which an address is checked again. */
const maxAge = 2000;

const chains: readonly ForeignChain[] = ['P', 'C'];

/**
 * Marks exports of an address as spent once another chain has imported them, which no block of this chain shows. The node that is asked runs
 * those chains too and lists the exports that are still unspent. An address without unspent exports needs no request.
 */
export const createSpentExportsBackfill = ({
  remote,
  exportedOutputs,
  foreign,
  now,
}: {
  readonly remote: Pick<Remote, 'height' | 'utxos'>;
  readonly exportedOutputs: ExportedOutputs;
  /** Ids of the other chains by their alias on the node. Exports to any further chain cannot be checked. */
  readonly foreign: { readonly [C in ForeignChain]: Id };
  /** Monotonic milliseconds. */
  readonly now: () => number;
}): AddressTask =>
  createAddressTask(
    async (address) => {
      const unspent = await exportedOutputs.listUnspent(address);
      const destinations = chains.filter((chain) => unspent.some(({ destination }) => destination === foreign[chain]));
      if (destinations.length === 0) return;
      const height = await remote.height();
      // An export that the node does not have yet would look spent: it may be behind, for example restored from a backup.
      const checked = unspent.filter((one) => one.height <= height);
      const spent = await Promise.all(destinations.map((chain) => findSpent(remote, chain, address, exportsTo(checked, foreign[chain]))));
      if (spent.flat().length > 0) await exportedOutputs.markSpent(spent.flat());
    },
    { concurrency: 8, validFor: { milliseconds: maxAge, now } },
  );

const exportsTo = (unspent: readonly UnspentExport[], chain: Id) => unspent.filter(({ destination }) => destination === chain);

async function findSpent(remote: Pick<Remote, 'utxos'>, chain: ForeignChain, address: Address, unspent: readonly UnspentExport[]) {
  const listed = new Set<Id>();
  for await (const utxos of listUtxoPages(remote, `X to ${chain}`, address)) for (const { id } of utxos) listed.add(id);
  return unspent.filter(({ id }) => !listed.has(id));
}
