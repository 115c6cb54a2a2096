import type { Output, OutputOwners, TransferableOutput } from '../../avm/tx/output.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { type Utxo, utxoId } from '../../avm/tx/utxo.ts';
import type { Account } from '../../avm/wallet/accounts.ts';
import { type Funds, sumNeeded } from '../../avm/wallet/funding.ts';
import { type Key, watchOnlyKey } from '../../avm/wallet/key.ts';
import { type ChainParams, type Draft, findSigners, ownedBy, signDraft, type Wallet } from '../../avm/wallet/wallet.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText, parseId } from '../../base/bytes/id.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import { Fault } from '../../base/fault.ts';
import { createMutex } from '../../base/timing/slots.ts';
import type { AddressFormat } from '../rpc/address-format.ts';
import type { AvmDeps } from '../rpc/avm.ts';
import { readAllBalances } from '../rpc/balance.ts';
import { createLongQueryRunner } from '../rpc/long-queries.ts';
import { createAddressResolver, type ResolveAddress } from './address-resolver.ts';
import { type AssetUnits, formatAmount } from './amount.ts';
import { resolveAsset, unknownAsset } from './asset-name.ts';
import { findOutputs, isShared, maxInputs, type OutputReads, selectCoins } from './coin-selection.ts';
import { DevError } from './fault.ts';
import { draftImport, type ImportDraft, type ImportRequest } from './import-draft.ts';
import type { Labels } from './labels.ts';

type DevWalletDeps = Pick<AvmDeps, 'reads' | 'assetAliases' | 'now' | 'longWork'> & {
  readonly accounts: readonly [Account, ...Account[]];
  readonly chainParams: ChainParams;
  readonly addressFormat: AddressFormat;
  /** Undefined on a node without labels. */
  readonly labels?: Labels | undefined;
  /** At most `limit` assets with this symbol. */
  readonly findAssetsBySymbol: (symbol: string, limit: number) => readonly Id[];
  /** An unspent output of the accepted state. */
  readonly utxo: (id: Id) => Utxo | undefined;
  /** Fetches outputs of addresses that are not stored yet, on a fork; undefined if there is nothing to fetch. */
  readonly fetchOutputs?: ((addresses: readonly Address[]) => Promise<void> | undefined) | undefined;
  readonly isPending: OutputReads['isPending'];
  readonly pendingTxs: OutputReads['pendingTxs'];
  /** Whether outputs of an address may be spent without its signatures. */
  readonly isImpersonated: (address: Address) => boolean;
  /** Issues a transaction. Resolves when it is in the mempool. */
  readonly issue: (tx: Tx) => Promise<void>;
  /** Issues a transaction. Resolves when it is accepted if blocks are built automatically, else when it is in the mempool. */
  readonly issueAndWait: (tx: Tx) => Promise<void>;
};

/** An asset as amounts are written: its name, symbol and denomination. */
export type Asset = AssetUnits & { readonly id: Id; readonly name: string };

/** Who pays for a transaction and signs it: an account, or an impersonated address, which has no index and whose signatures are zeros. */
export type Payer = {
  readonly index?: number;
  readonly key: Key;
  /** Accounts that sign together with the payer, and what they own together is spent first. */
  readonly cosigners?: readonly Payer[];
};

/** A transaction to make: who pays, what the inputs must cover, and how it is built from them. */
type TxRequest = {
  readonly payer: Payer;
  readonly sent?: readonly TransferableOutput[];
  readonly fee?: bigint;
  readonly memo?: Uint8Array;
  /** Whether the call returns when the transaction is in the mempool, rather than when it is accepted. */
  readonly noWait: boolean;
  readonly build: (wallet: Wallet, funds: Funds) => Promise<Draft>;
};

/** An import; without `tx` if no output can be imported now. */
type Imported = Omit<ImportDraft, 'draft'> & { readonly tx: Tx | undefined };

/** The accounts of the developer's chain: their balances, and transactions that they pay for and sign. */
export type DevWallet = ReturnType<typeof createDevWallet>;

export function createDevWallet(deps: DevWalletDeps) {
  const { accounts, chainParams, addressFormat, reads, now } = deps;
  const wallet: Wallet = { keys: accounts.map(({ key }) => key), chainParams };
  const walletOf = (payer: Payer): Wallet => {
    const impersonated = [payer, ...(payer.cosigners ?? [])].filter(({ index }) => index === undefined);
    return impersonated.length === 0 ? wallet : { keys: [...wallet.keys, ...impersonated.map(({ key }) => key)], chainParams };
  };
  const outputs: OutputReads = {
    chainID: chainParams.blockchainID,
    utxoPage: reads.utxos,
    isPending: deps.isPending,
    pendingTxs: deps.pendingTxs,
    longWork: deps.longWork,
  };
  const resolveAddress = createAddressResolver(deps);
  const runLongQuery = createLongQueryRunner(deps.longWork);
  /** One transaction at a time, until it is accepted or, with `noWait`, pending: two that are built on the same state would spend the same outputs. */
  const lock = createMutex();

  const assetById = (id: Id): Asset => {
    const description = reads.description(id);
    if (description === undefined || description === 'not-an-asset') throw unknownAsset(idText(id));
    const { name, symbol, denomination } = description;
    return { id, name: Buffer.from(name).toString('utf8'), symbol: Buffer.from(symbol).toString('utf8'), denomination };
  };

  /** The kinds of outputs that an asset was created with. */
  const createdKinds = (assetID: Id): ReadonlySet<Output['kind']> => {
    const bytes = reads.txBytes(assetID);
    const tx = bytes === undefined ? undefined : parseTx(bytes, maxGenesisBytes).unsigned;
    const states = tx?.kind === 'CreateAssetTx' ? tx.initialStates : [];
    return new Set(states.flatMap(({ outputs: created }) => created.map(({ kind }) => kind)));
  };

  /** Throws for an asset whose outputs have no amount: NFTs and properties are moved one by one. */
  const requireAmounts = ({ id, symbol }: Asset): void => {
    const kinds = [...createdKinds(id)];
    if (kinds.length === 0 || kinds.some((kind) => kind.startsWith('secp256k1fx.'))) return;
    const isFamily = kinds.some((kind) => kind.startsWith('nftfx.'));
    const what = isFamily ? 'a family of NFTs; dev.sendNFT sends one of them' : 'a property, which has no amounts';
    throw new DevError(`${symbol} is ${what}`, { code: 'DEV_NO_AMOUNTS', assetID: idText(id) });
  };

  const selectFunds = async (payer: Payer, needed: ReadonlyMap<Id, bigint>, time: bigint): Promise<readonly Utxo[]> => {
    const { utxos, available, isComplete } = await selectCoins(outputs, keysOf(payer), needed, time);
    if (isComplete) return utxos;
    const address = addressFormat.format(payer.key.address);
    for (const [assetID, need] of needed) {
      const have = available.get(assetID) ?? 0n;
      if (have >= need) continue;
      const asset = assetById(assetID);
      if (have === 0n) requireAmounts(asset);
      throw insufficientFunds(payer, address, asset, have, need);
    }
    throw new DevError(
      `${describePayer(payer, address)} would need more than ${maxInputs} of its outputs; send a smaller amount, or first send it to itself in parts`,
      { code: 'DEV_TOO_MANY_INPUTS', ...accountOf(payer), max: maxInputs },
    );
  };

  return {
    accounts,
    chainParams,
    formatAddress: addressFormat.format,
    resolveAddress,
    /** The label of an address; undefined if it has none. */
    labelOf: (address: Address): string | undefined => deps.labels?.all().get(address),
    /** The asset with an ID, an alias or a symbol that no other asset has; AVAX if the text is empty. */
    asset: (text: string): Asset => assetById(text === '' ? chainParams.feeAsset : resolveAsset(text, deps)),

    createdKinds,

    /**
     * The account with a number, label or address, or an impersonated address; account 0 if the text is empty. Names between commas are accounts that
     * sign together.
     */
    payer: (text: string): Payer => {
      const names = deps.labels?.find(text) === undefined ? text.split(',').map((name) => name.trim()) : [text];
      const [first = accounts[0], ...cosigners] = names.map((name) => findPayer(name, deps, resolveAddress));
      return cosigners.length === 0 ? first : { ...first, cosigners };
    },

    /** The owners of a new output; `threshold` 0 counts as 1. `other`: see `ResolveAddress`. */
    owners: (addresses: readonly string[], threshold: number, locktime = 0n, other?: AddressFormat): OutputOwners => {
      const distinct = [...new Set(addresses.map((text) => resolveAddress(text, other)))];
      const required = threshold === 0 ? 1 : threshold;
      if (distinct.length === 0) throw badOwners('no address is given; give one, or a list of them');
      if (required > distinct.length) throw badOwners(`threshold ${required} is more than the number of addresses, ${distinct.length}`);
      return ownedBy(distinct, required, locktime);
    },

    /** An unspent output by ID, or by transaction ID and index: `<txID>:<index>`. */
    output: (text: string): Utxo => {
      const utxo = deps.utxo(parseOutputID(text));
      if (utxo !== undefined) return utxo;
      throw new DevError(`there is no unspent output ${text}; avm.getUTXOs lists those of an address`, {
        code: 'DEV_UNKNOWN_OUTPUT',
        utxoID: text,
      });
    },

    /** Up to `max` outputs that pass a test, that the accounts can spend now, and that the mempool does not consume. */
    findOutputs: async (isWanted: (utxo: Utxo) => boolean, max: number): Promise<readonly Utxo[]> => {
      await deps.fetchOutputs?.(wallet.keys.map(({ address }) => address));
      return findOutputs(outputs, wallet.keys, (utxo) => isWanted(utxo) && findSigners(wallet, utxo, now()) !== undefined, max);
    },

    /** The AVAX of an address, without locked and shared outputs. */
    balance: async (address: Address): Promise<bigint> => {
      await deps.fetchOutputs?.([address]);
      const balances = await readAllBalances(reads, { address, includePartial: false, now: now() }, runLongQuery);
      return balances.get(chainParams.feeAsset) ?? 0n;
    },

    /** Selects outputs of the payer, builds, signs and issues a transaction. */
    issue: ({ payer, sent = [], fee = chainParams.txFee, memo, noWait, build }: TxRequest): Promise<Tx> =>
      lock(async () => {
        await deps.fetchOutputs?.([payer.key.address]);
        const time = now();
        const utxos = await selectFunds(payer, sumNeeded(wallet, sent, fee), time);
        const shared = utxos.find(isShared)?.output;
        const change = shared === undefined ? ownedBy([payer.key]) : ownedBy([...shared.addresses], shared.threshold);
        const funds = { utxos, change, now: time, memo };
        const tx = signDraft(await build(walletOf(payer), funds));
        await (noWait ? deps.issue(tx) : deps.issueAndWait(tx));
        return tx;
      }),

    /** Imports what waits for the payer in the memory shared with another chain, as much as fits one transaction. */
    importFrom: (request: ImportRequest): Promise<Imported> =>
      lock(async () => {
        const { payer, noWait } = request;
        await deps.fetchOutputs?.([payer.key.address]);
        const time = now();
        const payFee = (missing: bigint) => selectFunds(payer, new Map([[chainParams.feeAsset, missing]]), time);
        const { draft, ...found } = await draftImport(request, { wallet: walletOf(payer), outputs, payFee, time });
        const tx = draft && signDraft(draft);
        if (tx !== undefined) await (noWait ? deps.issue(tx) : deps.issueAndWait(tx));
        return { ...found, tx };
      }),

    /** Names a payer for messages: `account 1 (X-local1…)`. */
    describePayer: (payer: Payer): string => describePayer(payer, addressFormat.format(payer.key.address)),
  };
}

function findPayer(text: string, { accounts, isImpersonated }: DevWalletDeps, resolveAddress: ResolveAddress): Payer {
  if (text === '') return accounts[0];
  const address = resolveAddress(text);
  const found = accounts.find(({ key }) => key.address === address);
  if (found !== undefined) return found;
  if (isImpersonated(address)) return { key: watchOnlyKey(address) };
  throw new DevError(
    `${text} is none of the ${accounts.length} accounts, so the node cannot sign for it; use one that dev.accounts lists, or impersonate the address (dev.impersonate, serac impersonate start)`,
    { code: 'DEV_NOT_AN_ACCOUNT', account: text, accounts: accounts.length },
  );
}

/** Parses the ID of an output in CB58, or `<txID>:<index>`. */
export function parseOutputID(text: string): Id {
  const [, txID, index] = /^(\w{1,64}):(\d{1,9})$/.exec(text) ?? [];
  try {
    return txID === undefined ? parseId(text) : utxoId(parseId(txID), Number(index));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new DevError(`${JSON.stringify(text)} is not the ID of an output: ${error.message}`, {
      code: 'DEV_UNKNOWN_OUTPUT',
      utxoID: text,
    });
  }
}

const keysOf = ({ key, cosigners = [] }: Payer): [Key, ...Key[]] => [key, ...cosigners.map((one) => one.key)];

const accountOf = ({ index }: Payer) => (index === undefined ? {} : { account: index });
const describePayer = ({ index, cosigners = [] }: Payer, address: string): string =>
  `${index === undefined ? `the impersonated address ${address}` : `account ${index} (${address})`}${cosigners.length === 0 ? '' : ` with ${cosigners.length} others`}`;

const insufficientFunds = (payer: Payer, address: string, asset: Asset, have: bigint, need: bigint) =>
  new DevError(
    `not enough funds: ${describePayer(payer, address)} can spend ${formatAmount(have, asset)}, ${formatAmount(need, asset)} is needed (asset ${idText(asset.id)})`,
    {
      code: 'DEV_INSUFFICIENT_FUNDS',
      ...accountOf(payer),
      address,
      assetID: idText(asset.id),
      have: have.toString(),
      need: need.toString(),
    },
  );

const badOwners = (reason: string) => new DevError(reason, { code: 'DEV_BAD_OWNERS', reason });
