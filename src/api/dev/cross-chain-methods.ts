import { makeUtxo, parseUtxo, type Utxo, utxoId } from '../../avm/tx/utxo.ts';
import { exportTx } from '../../avm/wallet/transactions.ts';
import { transfer } from '../../avm/wallet/wallet.ts';
import { parseHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { crossChainRows } from '../contract/dev-money-methods.ts';
import type { AddressFormat } from '../rpc/address-format.ts';
import type { Aliases } from '../rpc/aliases.ts';
import { implement } from '../rpc/method.ts';
import type { ReadUtxoPage } from '../rpc/utxo-query.ts';
import { parseAmount } from './amount.ts';
import { type DevWallet, type Payer, parseOutputID } from './dev-wallet.ts';
import { DevError } from './fault.ts';
import { parseBytesText, parseTime } from './params.ts';

type CrossChainDeps = {
  readonly wallet: DevWallet;
  readonly aliases: Aliases;
  /** The P- and C-Chain, which Serac does not run. */
  readonly counterparts: readonly Id[];
  /** Adds a UTXO to the shared memory of chain `from` and the X-Chain, so that the X-Chain can import it. */
  readonly addAtomicUtxo: (from: Id, utxo: Utxo) => void;
  /** The ID of a transaction of another chain that makes a deposit; see deposit-id.ts. */
  readonly newDepositID: (source: Id) => Id;
  readonly listAtomicUtxos: (limit: number) => readonly AtomicOutput[];
  /** Reads outputs that other chains exported to the X-Chain. */
  readonly atomicUtxos: ReadUtxoPage;
  /** Whether amounts of an asset can be on the X-Chain. */
  readonly isTransferable: (assetID: Id) => boolean;
  /** Removes an export of the X-Chain as if the destination had imported it. Returns false if it is not there. */
  readonly claimExport: (destination: Id, utxoID: Id) => boolean;
  /** How the addresses of a chain are written. */
  readonly formatOf: (chainID: Id) => AddressFormat;
};

type AtomicOutput = { readonly source: Id; readonly destination: Id; readonly utxo: Utxo };

/** The most outputs that `dev.listAtomic` returns. */
const maxListed = 1024;

/** Transfers between the X-Chain of a developer and the P- and C-Chain, whose part these methods play. */
export const crossChainMethods = implement<CrossChainDeps>()(crossChainRows, {
  atomicDeposit: {
    run: async (deps, { from, to, amount, assetID, locktime, threshold }) => {
      const { wallet } = deps;
      const source = requireCounterpart('from', from, deps);
      const asset = wallet.asset(assetID);
      const owners = wallet.owners(to, threshold, locktime === '' ? 0n : parseTime(locktime));
      const { output } = transfer(asset.id, parseAmount(amount, asset), owners);
      const utxo = makeUtxo(deps.newDepositID(source), 0, asset.id, output);
      deps.addAtomicUtxo(source, utxo);
      return { utxoID: idText(utxo.id) };
    },
    needsWriter: true,
  },

  listAtomic: {
    run: async (deps, { limit }) => {
      const max = limit === 0 || limit > maxListed ? maxListed : limit;
      const found = deps.listAtomicUtxos(max + 1);
      return { utxos: found.slice(0, max).map((output) => describeOutput(output, deps)), truncated: found.length > max };
    },
    needsWriter: true,
  },

  import: {
    run: async (deps, { from, sourceChain, to, memo, threshold, noWait }) => {
      const { wallet, aliases } = deps;
      const sources = sourceChain === '' ? deps.counterparts : [requireCounterpart('sourceChain', sourceChain, deps)];
      const payer = wallet.payer(from);
      const owners = to.length === 0 ? undefined : wallet.owners(to, threshold);
      const request = { payer, readPage: deps.atomicUtxos, isTransferable: deps.isTransferable, to: owners, noWait };
      const imports: { txID: string; sourceChain: string; outputs: number; amounts: { assetID: string; amount: string }[] }[] = [];
      let remaining = 0;
      const importFrom = async (source: Id): Promise<void> => {
        const { tx, outputs, amounts, ...left } = await wallet.importFrom({ ...request, source, memo: parseBytesText(memo, 'memo') });
        remaining += left.remaining;
        if (tx === undefined) return;
        const listed = [...amounts].map(([assetID, amount]) => ({ assetID: idText(assetID), amount: amount.toString() }));
        imports.push({ txID: idText(tx.id), sourceChain: aliases.primary(source), outputs, amounts: listed });
      };
      const unpaid: Id[] = [];
      for (const source of sources)
        await importFrom(source).catch((error: unknown) => {
          if (!(error instanceof DevError) || error.fault.code !== 'DEV_INSUFFICIENT_FUNDS') throw error;
          unpaid.push(source);
        });
      // AVAX from the other chain may pay the fee now.
      for (const source of unpaid) await importFrom(source);
      const last = imports.at(-1);
      if (last === undefined) throw nothingToImport(payer, remaining, wallet);
      return { txID: last.txID, imports, remaining };
    },
    needsWriter: true,
  },

  export: {
    run: async (deps, { destinationChain, from, to, amount, assetID, memo, locktime, threshold, noWait }) => {
      const { wallet } = deps;
      const destination = requireCounterpart('destinationChain', destinationChain, deps);
      const payer = wallet.payer(from);
      const asset = wallet.asset(assetID);
      const addresses = to.length === 0 ? [wallet.formatAddress(payer.key.address)] : to;
      const owners = wallet.owners(addresses, threshold, locktime === '' ? 0n : parseTime(locktime), deps.formatOf(destination));
      const sent = [transfer(asset.id, parseAmount(amount, asset), owners)];
      const tx = await wallet.issue({
        payer,
        sent,
        memo: parseBytesText(memo, 'memo'),
        noWait,
        build: async (keys, funds) => exportTx(keys, funds, destination, sent),
      });
      // The exported output follows the change.
      return { txID: idText(tx.id), utxoID: idText(utxoId(tx.id, tx.unsigned.outputs.length)) };
    },
    needsWriter: true,
  },

  claimExport: {
    run: async ({ counterparts, claimExport, aliases }, { utxoID }) => {
      const id = parseOutputID(utxoID);
      const destination = counterparts.find((chain) => claimExport(chain, id));
      if (destination !== undefined) return { utxoID: idText(id), destinationChain: aliases.primary(destination) };
      throw new DevError(`the X-Chain has no unclaimed export ${utxoID}; dev.listAtomic lists them`, {
        code: 'DEV_UNKNOWN_OUTPUT',
        utxoID,
      });
    },
    needsWriter: true,
  },

  addAtomicUTXO: {
    run: async ({ aliases, addAtomicUtxo }, { sourceChain, utxo }) => {
      const parsed = parseUtxo(parseHex('hex', utxo));
      addAtomicUtxo(findChain(sourceChain, aliases) ?? aliases.lookup(sourceChain), parsed);
      return { utxoID: idText(parsed.id) };
    },
    needsWriter: true,
  },
});

function nothingToImport(payer: Payer, waiting: number, wallet: DevWallet): DevError {
  const who = wallet.describePayer(payer);
  const message =
    waiting === 0
      ? `nothing waits for ${who} to be imported; dev.atomicDeposit makes an output that does`
      : `what waits for ${who} cannot be imported now: it is locked, needs other signatures too, or is of an asset that cannot be imported; dev.listAtomic lists it`;
  const address = wallet.formatAddress(payer.key.address);
  return new DevError(message, {
    code: 'DEV_NOTHING_TO_IMPORT',
    ...(payer.index !== undefined && { account: payer.index }),
    address,
    waiting,
  });
}

function requireCounterpart(parameter: string, name: string, { aliases, counterparts }: CrossChainDeps): Id {
  const id = findChain(name, aliases);
  if (id !== undefined && counterparts.includes(id)) return id;
  const message = name === '' ? `${parameter} is missing` : `${JSON.stringify(name)} is neither the P- nor the C-Chain`;
  throw new DevError(`${message}; use P or C`, { code: 'DEV_WRONG_CHAIN', chain: name });
}

/** A chain by an alias in any case, such as `p` or `P-Chain`, or by its ID. */
function findChain(name: string, { find }: Aliases): Id | undefined {
  const alias = name.replace(/-chain$/i, '');
  return find(name) ?? find(alias.toUpperCase()) ?? find(alias.toLowerCase());
}

function describeOutput({ source, destination, utxo }: AtomicOutput, { aliases, formatOf }: CrossChainDeps) {
  const { output } = utxo;
  return {
    utxoID: idText(utxo.id),
    sourceChain: aliases.primary(source),
    destinationChain: aliases.primary(destination),
    txID: idText(utxo.txID),
    outputIndex: utxo.outputIndex,
    assetID: idText(utxo.assetID),
    amount: 'amount' in output ? output.amount.toString() : undefined,
    kind: 'amount' in output ? undefined : output.kind,
    addresses: output.addresses.map((address) => formatOf(destination).format(address)),
    threshold: output.threshold,
    locktime: output.locktime.toString(),
  };
}
