import type { AddressFormat } from '../../api/rpc/address-format.ts';
import { AvmError } from '../../api/rpc/fault.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault, messageOf } from '../../base/fault.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { createSlots } from '../../base/timing/slots.ts';
import { createExportLookup } from '../../chain/follow/export-lookup.ts';
import type { ForeignReads } from '../../chain/follow/majority-remote.ts';
import type { ForeignChain } from '../../chain/follow/remote.ts';
import { listUtxoPages } from '../../chain/follow/utxo-pages.ts';
import { createTiming } from '../followed/follow.ts';
import { type Fetches, type FetchParams, parseValid } from '../node/fetch-first.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { AtomicOutputs } from '../node/node-store.ts';
import type { Env } from '../platform/env.ts';

/**
 * Fetches what the P- and C-Chain have exported to the X-Chain of a joined node, which does not run those chains: from the trusted nodes
 * (`--validators-from`), which do. What they answer is stored in the shared memory of the chains, and not asked again.
 */
export type JoinedImports = {
  /** Fetches the outputs that an import consumes, unless they are stored. Never rejects: if an output stays unknown, verification refuses the import. */
  readonly fetchInputs: (tx: Tx) => Promise<void> | undefined;
  /** Fetches the outputs that a chain exported to addresses. */
  readonly fetchAddresses: (source: ForeignChain, addresses: readonly Address[]) => Promise<void>;
  readonly close: () => void;
};

/** Milliseconds that a transaction waits for what it imports: a block must not wait long for a trusted node that does not answer. */
const patience = 1000;
/** Exports that are looked up at the same time, for all blocks and transactions: one block may import thousands. */
const maxLookups = 64;
/** Addresses that are asked for at the same time. */
const concurrency = 8;

export function openJoinedImports({
  remote,
  env,
  context,
  store,
}: {
  readonly remote: ForeignReads;
  readonly env: Env;
  readonly context: NetworkContext;
  readonly store: Pick<AtomicOutputs, 'putAtomicUtxo' | 'knowsAtomicUtxo'>;
}): JoinedImports {
  const { specs, p, c } = context;
  const chainID = specs[0].id;
  const foreign = { P: p.id, C: c.id };
  const abort = new AbortController();
  const lookup = createExportLookup({ remote, chainID, foreign, timing: createTiming(env), signal: abort.signal });
  const lookups = createSlots({ total: maxLookups });
  const isKnown = (source: Id, utxoID: Id): boolean => store.knowsAtomicUtxo(chainID, source, utxoID);
  /** Stores outputs that are not known yet. Outputs that were imported meanwhile count as known: storing them again would undo the import. */
  const add = (source: Id, utxos: readonly Utxo[]): void => {
    for (const utxo of utxos) if (!isKnown(source, utxo.id)) store.putAtomicUtxo(chainID, source, utxo);
  };
  const fetchExports = async (source: Id, txIDs: Iterable<Id>, isOver: () => boolean): Promise<void> => {
    for (const txID of txIDs) {
      await lookups.run(async () => {
        if (!isOver()) add(source, (await lookup.find(source, txID)) ?? []);
      });
      if (isOver()) return;
    }
  };
  return {
    fetchInputs: ({ unsigned }) => {
      if (unsigned.kind !== 'ImportTx') return undefined;
      const { sourceChain, importedInputs } = unsigned;
      const missing = importedInputs.filter((input) => !isKnown(sourceChain, refId(input)));
      if (missing.length === 0) return undefined;
      let isOver = false;
      const found = fetchExports(sourceChain, new Set(missing.map(({ txID }) => txID)), () => isOver).catch((error: unknown) => {
        if (!(error instanceof Fault)) throw error;
      });
      // After `patience` no further export is looked up: a transaction that anyone sent must not cause thousands of requests.
      const over = sleep(env.timers, patience).then(() => {
        isOver = true;
      });
      return Promise.race([found, over]);
    },
    fetchAddresses: async (source, addresses) => {
      const fetchOne = async (address: Address): Promise<void> => {
        for await (const utxos of listUtxoPages(remote, `${source} to X`, address)) add(foreign[source], utxos);
      };
      for (let i = 0; i < addresses.length; i += concurrency) await Promise.all(addresses.slice(i, i + concurrency).map(fetchOne));
    },
    close: () => abort.abort(),
  };
}

/** `avm.getUTXOs` of a joined node asks for what other chains exported, or says that it cannot: an empty list would be wrong. */
export function fetchesOfImports(imports: JoinedImports | undefined, { p, c }: NetworkContext, format: AddressFormat): Fetches {
  const fetchExports = async ({ addresses = [], sourceChain = '' }: FetchParams): Promise<void> => {
    const source = format.aliases.find(sourceChain);
    const foreign = source === p.id ? 'P' : source === c.id ? 'C' : undefined;
    if (foreign === undefined) return;
    if (imports === undefined) throw unknownExports(foreign, 'no node that runs that chain was named (--validators-from)');
    try {
      await imports.fetchAddresses(foreign, parseValid(format.parse, addresses));
    } catch (error) {
      throw error instanceof Fault ? unknownExports(foreign, messageOf(error)) : error;
    }
  };
  return { 'avm.getUTXOs': (params) => ((params.sourceChain ?? '') === '' ? undefined : fetchExports(params)) };
}

const unknownExports = (chain: ForeignChain, why: string): AvmError =>
  new AvmError(`this node does not run the ${chain}-Chain and cannot tell what it exported: ${why}`, {
    code: 'AVM_EXPORTS_UNKNOWN',
    chain,
  });
