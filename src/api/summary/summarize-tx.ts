import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { FxOperation } from '../../avm/tx/operation.ts';
import type { Output } from '../../avm/tx/output.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { TxSummary } from '../contract/answers.ts';
import type { movedTypes } from '../contract/tx-summary.ts';

type Owners = Pick<Output, 'addresses' | 'threshold'>;
type MovedType = (typeof movedTypes)[number];
type MovedAmount = { readonly asset: Id; readonly type: MovedType; amount: bigint };

/** What a transaction moves, by whom and to whom. Change is not moved. */
export type Movement = {
  readonly action: TxSummary['action'];
  readonly from: readonly Owners[];
  readonly to: readonly Owners[];
  readonly isToSelf: boolean;
  readonly amounts: readonly MovedAmount[];
  /** Indexes of the outputs that go back to who paid. */
  readonly change: readonly number[];
};

/** Finds an output of the chain by its ID; undefined if it is from before the indexed history. */
export type FindUtxo = (ref: UtxoRef) => Utxo | undefined;

type SummaryContext = {
  readonly formatAddress: (address: Address) => string;
  /** Undefined where labels are not at hand: amounts then have IDs of assets only. */
  readonly labelOf?: (asset: Id) => { readonly symbol: string; readonly denomination: number };
};

/** The most owners, amounts and outputs with change that a summary names. */
const [maxOwners, maxAmounts, maxChange] = [3, 3, 16];

/** The summary of a transaction. It depends on the transaction and the outputs of its own chain that it consumes, so it never changes. */
export const summarizeTx = (tx: Tx, find: FindUtxo, context: SummaryContext): TxSummary =>
  summarizeMovement(tx, movementOf(tx, find), context);

/** The same for a transaction whose movement is known. */
export function summarizeMovement(tx: Tx, { action, from, to, isToSelf, amounts, change }: Movement, context: SummaryContext): TxSummary {
  const { formatAddress, labelOf } = context;
  const { unsigned } = tx;
  const created = unsigned.kind === 'CreateAssetTx' ? createdAsset(unsigned) : undefined;
  const party = ({ addresses, threshold }: Owners) => ({ addresses: addresses.map(formatAddress), threshold });
  const label = (asset: Id) => (asset === tx.id && created !== undefined ? created : labelOf?.(asset));
  const amountJson = ({ asset, type, amount }: MovedAmount): TxSummary['amounts'][number] => {
    const found = label(asset);
    return {
      assetId: idText(asset),
      type,
      amount: amount.toString(),
      symbol: found?.symbol,
      denomination: found?.denomination,
    };
  };
  const otherChain =
    unsigned.kind === 'ImportTx' ? unsigned.sourceChain : unsigned.kind === 'ExportTx' ? unsigned.destinationChain : undefined;
  return {
    action,
    from: from.slice(0, maxOwners).map(party),
    fromCount: from.length,
    to: to.slice(0, maxOwners).map(party),
    toCount: to.length,
    isToSelf,
    amounts: amounts.slice(0, maxAmounts).map(amountJson),
    amountCount: amounts.length,
    change: change.slice(0, maxChange),
    otherChain: otherChain && idText(otherChain),
    created,
  };
}

/** The assets that a summary names. */
export const assetsOfMovement = ({ amounts }: Movement): Id[] => amounts.slice(0, maxAmounts).map(({ asset }) => asset);

/** Units that go to other owners or chains, or are new, by asset. What is sent to itself is not counted. */
export const movedUnits = ({ action, isToSelf, amounts }: Movement): readonly MovedAmount[] =>
  action === 'send' && isToSelf ? [] : amounts.filter(({ type }) => type === 'secp256k1');

/** What a transaction moves. It follows the outputs: balances do not tell change from a payment to oneself. */
export function movementOf(tx: Tx, find: FindUtxo): Movement {
  const { unsigned } = tx;
  const { created, exported } = effectsOf(tx);
  const spent = spentRefs(unsigned).flatMap((ref) => find(ref) ?? []);
  const spenders = new Set(spent.map(ownerKey));
  const payments = created.filter((utxo) => !spenders.has(ownerKey(utxo)));
  const movement = (action: Movement['action'], from: readonly Utxo[], moved: readonly Utxo[], amounts = sumOutputs(moved)): Movement => {
    const [senders, receivers] = [ownersOf(from), ownersOf(moved)];
    const isToSelf = receivers.size > 0 && [...receivers.keys()].every((key) => senders.has(key));
    const isChange = (utxo: Utxo): boolean => spenders.has(ownerKey(utxo)) && isUnits(utxo.output) && !moved.includes(utxo);
    const change = created.flatMap((utxo, index) => (isChange(utxo) ? [index] : []));
    return { action, from: [...senders.values()], to: [...receivers.values()], isToSelf, amounts, change };
  };
  switch (unsigned.kind) {
    case 'BaseTx':
      return movement('send', spent, payments.length > 0 ? payments : paymentsToSelf(unsigned, created));
    case 'CreateAssetTx':
      return movement(
        'create',
        spent,
        created.filter(({ assetID, output }) => assetID === tx.id && movedTypeOf[output.kind] !== undefined),
      );
    case 'OperationTx': {
      const used = unsigned.operations.flatMap(({ inputIDs }) => inputIDs.flatMap((ref) => find(ref) ?? []));
      const moved = created.slice(unsigned.outputs.length).filter(({ output }) => movedTypeOf[output.kind] !== undefined);
      return movement(operationAction(unsigned), used.length > 0 ? used : spent, moved, [...sumOutputs(moved), ...burnedBy(unsigned)]);
    }
    case 'ImportTx': {
      const sums = createSums();
      for (const { assetID, input } of unsigned.importedInputs) sums.add(assetID, 'secp256k1', input.amount);
      // The imported outputs are of another chain; this one may not know their owners.
      return movement('import', [], payments.length > 0 ? payments : created, sums.list());
    }
    case 'ExportTx':
      return movement('export', spent, exported?.utxos ?? []);
  }
}

/**
 * The outputs of a transfer to oneself that are not change. Nothing in a transaction marks change: it is taken to be the largest output of
 * an asset, unless that one is locked, which change never is. Of an asset that only pays the fee, all of it is change.
 */
function paymentsToSelf({ inputs }: UnsignedTx, created: readonly Utxo[]): readonly Utxo[] {
  const byAsset = Map.groupBy(created, ({ assetID }) => assetID);
  const paysFee = (asset: Id, outputs: readonly Utxo[]): boolean =>
    inputs.reduce((sum, { assetID, input }) => (assetID === asset ? sum + input.amount : sum), 0n) > sumUnits(outputs);
  const payments = [...byAsset].flatMap(([asset, outputs]) => {
    const locked = outputs.filter(({ output }) => output.locktime > 0n);
    if (locked.length > 0) return locked;
    if (outputs.length === 1) return byAsset.size > 1 && paysFee(asset, outputs) ? [] : outputs;
    const change = outputs.reduce((largest, one) => (unitsOf(one.output) > unitsOf(largest.output) ? one : largest));
    return outputs.filter((one) => one !== change);
  });
  return payments.length > 0 ? payments : created;
}

/** Mint outputs are rights to mint; they move nothing. */
const movedTypeOf: { readonly [K in Output['kind']]: MovedType | undefined } = {
  'secp256k1fx.TransferOutput': 'secp256k1',
  'nftfx.TransferOutput': 'nft',
  'propertyfx.OwnedOutput': 'property',
  'secp256k1fx.MintOutput': undefined,
  'nftfx.MintOutput': undefined,
  'propertyfx.MintOutput': undefined,
};

const operationActions: { readonly [K in FxOperation['kind']]: Movement['action'] } = {
  'secp256k1fx.MintOperation': 'mint',
  'nftfx.MintOperation': 'mint',
  'nftfx.TransferOperation': 'send',
  'propertyfx.MintOperation': 'mint',
  'propertyfx.BurnOperation': 'burn',
};

function operationAction({ operations }: Extract<UnsignedTx, { kind: 'OperationTx' }>): Movement['action'] {
  const actions = new Set(operations.map(({ operation }) => operationActions[operation.kind]));
  const [first = 'operate'] = actions;
  return actions.size === 1 ? first : 'operate';
}

const burnedBy = ({ operations }: Extract<UnsignedTx, { kind: 'OperationTx' }>): readonly MovedAmount[] => {
  const sums = createSums();
  for (const { assetID, inputIDs, operation } of operations)
    if (operation.kind === 'propertyfx.BurnOperation') sums.add(assetID, 'property', BigInt(inputIDs.length));
  return sums.list();
};

const isUnits = ({ kind }: Output): boolean => kind === 'secp256k1fx.TransferOutput';
const unitsOf = (output: Output): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 1n);
const sumUnits = (utxos: readonly Utxo[]): bigint => utxos.reduce((sum, { output }) => sum + unitsOf(output), 0n);

function sumOutputs(utxos: readonly Utxo[]): readonly MovedAmount[] {
  const sums = createSums();
  for (const { assetID, output } of utxos) {
    const type = movedTypeOf[output.kind];
    if (type !== undefined) sums.add(assetID, type, unitsOf(output));
  }
  return sums.list();
}

/** Sums by asset and type, in the order of their first appearance. */
function createSums() {
  const sums = new Map<string, MovedAmount>();
  return {
    add: (asset: Id, type: MovedType, amount: bigint): void => {
      const sum = sums.get(asset + type) ?? { asset, type, amount: 0n };
      sum.amount += amount;
      sums.set(asset + type, sum);
    },
    list: (): readonly MovedAmount[] => [...sums.values()],
  };
}

/** Two outputs have the same owner if the same addresses can spend them with the same number of signatures. */
const ownerKey = ({ output: { threshold, addresses } }: Utxo): string => `${threshold} ${addresses.join()}`;

const ownersOf = (utxos: readonly Utxo[]): ReadonlyMap<string, Owners> => new Map(utxos.map((utxo) => [ownerKey(utxo), utxo.output]));

/** The index of a feature extension (fx) is that of its type. */
const typesByFx: readonly MovedType[] = ['secp256k1', 'nft', 'property'];

function createdAsset({ name, symbol, denomination, initialStates }: Extract<UnsignedTx, { kind: 'CreateAssetTx' }>) {
  const fxs = new Set(initialStates.map(({ fxIndex }) => typesByFx[fxIndex]));
  return {
    name: Buffer.from(name).toString('utf8'),
    symbol: Buffer.from(symbol).toString('utf8'),
    denomination,
    type: typesByFx.find((type) => fxs.has(type)) ?? 'secp256k1',
  };
}
