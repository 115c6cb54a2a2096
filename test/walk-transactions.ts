import { expect } from 'bun:test';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { type Json, plainAddress } from './data-requests.ts';
import { cChain, pChain } from './local-chain.ts';
import { addPending, idOf, settle, type Walk } from './walk.ts';
import { addDeposit, type PendingTx, removeExport, spendableBy, timeOf } from './walk-model.ts';
import { baseTx, importTx, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** An operation and how often it is chosen. Returns false if it is not possible now. */
export type Operation = { readonly weight: number; readonly run: (walk: Walk) => Promise<unknown> };

const avax = localChainParams.feeAsset;
/** All changes of the time are multiples of this, and locks are half of it off, so that the seconds of the walk itself do not matter. */
export const timeUnit = 5000n;

export const addressText = (key: Pick<Key, 'address'>): string => `X-${plainAddress(key)}`;
const below = ({ random }: Walk, end: number): bigint => BigInt(1 + random.below(end));

/** Outputs of a key in AVAX that no waiting transaction of the test consumes. */
const freeOutputs = ({ state }: Walk, key: Key): Utxo[] => {
  const taken = new Set(
    state.pending.flatMap(({ tx }) => tx?.unsigned.inputs.map(({ txID, outputIndex }) => `${txID} ${outputIndex}`) ?? []),
  );
  return spendableBy(state, key).filter(({ assetID, txID, outputIndex }) => assetID === avax && !taken.has(`${txID} ${outputIndex}`));
};

async function issueRaw(walk: Walk, tx: Tx, facts: Omit<PendingTx, 'id' | 'tx'> = {}): Promise<void> {
  const { error } = await walk.node.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  expect(error).toBeUndefined();
  addPending(walk, { id: tx.id, tx, ...facts });
  await settle(walk);
}

const lockOf = (utxos: readonly Utxo[]): bigint =>
  utxos.reduce((latest, { output }) => (output.locktime > latest ? output.locktime : latest), 0n);

/** A signed transfer of a key of the test, sometimes locked or to two owners. */
async function issueTransfer(walk: Walk): Promise<boolean> {
  const { random, wallet, state } = walk;
  const key = random.pick(wallet.keys);
  const utxos = freeOutputs(walk, key).slice(0, 3);
  const now = timeOf(state.clock);
  const sum = utxos.reduce((total, { output }) => total + ('amount' in output ? output.amount : 0n), 0n);
  if (sum < 2_000_000n) return false;
  const to = [random.pick(wallet.keys), walk.victim];
  const owners =
    random.below(4) === 0 ? ownedBy(to, 1 + random.below(2)) : ownedBy(to.slice(0, 1), 1, random.below(3) === 0 ? lockTime(walk) : 0n);
  const sent = [transfer(avax, 1n + (sum - 1_000_000n) / 3n, owners)];
  await issueRaw(walk, signDraft(baseTx({ ...wallet, keys: [key] }, { utxos, now, memo: random.bytes(8) }, sent)), {
    lockedUntil: lockOf(utxos),
  });
  return true;
}

const lockTime = (walk: Walk): bigint => {
  const units = (timeOf(walk.state.clock) - walk.start) / timeUnit + below(walk, 4);
  return walk.start + units * timeUnit + timeUnit / 2n;
};

/** Spends an output of the victim with the signature of another key: refused, unless the victim is impersonated. */
async function issueForged(walk: Walk): Promise<boolean> {
  const { victim, session, wallet, node, state } = walk;
  const [utxo] = freeOutputs(walk, victim).filter(({ output }) => output.addresses.length === 1);
  if (utxo === undefined || !('amount' in utxo.output) || utxo.output.amount < 2_000_000n) return false;
  const forger = { ...victim, sign: (wallet.keys[0] as Key).sign };
  const sent = [transfer(avax, 5n, ownedBy([wallet.keys[0] as Key]))];
  const funds = { utxos: [utxo], now: timeOf(state.clock), memo: walk.random.bytes(8) };
  const tx = signDraft(baseTx({ ...wallet, keys: [forger] }, funds, sent));
  if (session.impersonated.has(victim.address)) {
    await issueRaw(walk, tx, { forged: victim.address, lockedUntil: lockOf([utxo]) });
    return true;
  }
  const { error } = await node.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  expect(error).toBeDefined();
  return true;
}

/** Imports a deposit for a key of the test. */
async function importDeposit(walk: Walk): Promise<boolean> {
  const { state, wallet, random } = walk;
  const source = random.pick([pChain, cChain]);
  const taken = new Set(
    state.pending.flatMap(({ tx }) => (tx?.unsigned.kind === 'ImportTx' ? tx.unsigned.importedInputs.map(({ txID }) => txID) : [])),
  );
  const deposit = [...(state.deposits.get(source)?.values() ?? [])].find(
    ({ txID, output }) => !taken.has(txID) && wallet.keys.some(({ address }) => output.addresses[0] === address),
  );
  if (deposit === undefined) return false;
  await issueRaw(walk, signDraft(importTx(wallet, { utxos: [], memo: random.bytes(8) }, source, [deposit])));
  return true;
}

/** Calls a `dev.*` method that makes a transaction. It may fail for lack of outputs only while transactions wait. */
async function makeTx(walk: Walk, method: string, params: unknown, check?: (tx: Tx) => void): Promise<boolean> {
  const { result, error } = await walk.node.call('/ext/dev', `dev.${method}`, params);
  if (error !== undefined) {
    const isBusy = walk.state.pending.length > 0 && ['DEV_INSUFFICIENT_FUNDS', 'DEV_CANNOT_MINT'].includes(error.data?.code);
    expect([method, params, isBusy ? undefined : error]).toEqual([method, params, undefined]);
    return false;
  }
  const id = idOf(result.txID);
  addPending(walk, { id, parents: await readParents(walk, id), ...(check && { check }) });
  await settle(walk);
  return true;
}

/** Checks that a transaction creates an output with this amount for this owner. */
const pays = (asset: Id, amount: bigint, key: Key) => (tx: Tx) =>
  expect(
    tx.unsigned.outputs.some(
      ({ assetID, output }) => assetID === asset && output.amount === amount && output.addresses.includes(key.address),
    ),
  ).toBe(true);

async function send(walk: Walk): Promise<boolean> {
  const { random, wallet, victim } = walk;
  const [to, amount] = [random.pick([...wallet.keys, victim]), 3_000_000n + below(walk, 1e9)];
  return makeTx(walk, 'send', { from: random.below(4), to: addressText(to), amount: String(amount), memo: 'walk' }, pays(avax, amount, to));
}

async function faucet(walk: Walk): Promise<boolean> {
  const to = walk.random.pick(walk.wallet.keys);
  return makeTx(walk, 'faucet', { to: addressText(to), amount: '2 AVAX' }, pays(avax, 2_000_000_000n, to));
}

const isAccount0 = (walk: Walk, { output }: Utxo): boolean =>
  output.addresses.length === 1 && output.addresses[0] === walk.accounts[0]?.address;

/** An unspent output of account 0 of a kind. */
const pickOutput = (walk: Walk, kind: Utxo['output']['kind']): Utxo | undefined => {
  const found = [...walk.state.utxos.values()].filter((utxo) => utxo.output.kind === kind && isAccount0(walk, utxo));
  return found.length === 0 ? undefined : walk.random.pick(found);
};

const createAsset = (walk: Walk): Promise<boolean> =>
  makeTx(walk, 'createAsset', { name: 'Gold', symbol: 'GLD', denomination: 2, supply: '1000', mintable: true });
const createNFT = (walk: Walk): Promise<boolean> => makeTx(walk, 'createNFT', { name: 'Art', symbol: 'ART', groups: 2 });
const createProperty = (walk: Walk): Promise<boolean> => makeTx(walk, 'createProperty', { name: 'House', symbol: 'HSE' });

/** Mints an asset of any kind; creates one if there is none. */
async function mint(walk: Walk): Promise<boolean> {
  const [kind, method, create, params] = walk.random.pick([
    ['secp256k1fx.MintOutput', 'mint', createAsset, { amount: '7' }],
    ['nftfx.MintOutput', 'mintNFT', createNFT, { payload: 'hello' }],
    ['propertyfx.MintOutput', 'mintProperty', createProperty, {}],
  ] as const);
  const minter = pickOutput(walk, kind);
  if (minter === undefined) return create(walk);
  return makeTx(walk, method, { assetID: idText(minter.assetID), to: addressText(walk.accounts[0] as Key), ...params });
}

/** Sends an NFT, or burns a property; a waiting transaction may consume it already. */
async function moveSpecial(walk: Walk): Promise<boolean> {
  const [nft, property] = [pickOutput(walk, 'nftfx.TransferOutput'), pickOutput(walk, 'propertyfx.OwnedOutput')];
  const [method, params] =
    nft === undefined
      ? ['burnProperty', { utxoID: property && idText(property.id) }]
      : ['sendNFT', { utxoID: idText(nft.id), to: addressText(walk.victim) }];
  if ((nft ?? property) === undefined || walk.state.pending.length > 0) return false;
  return makeTx(walk, method as string, params);
}

async function exportOut(walk: Walk): Promise<boolean> {
  const destinationChain = walk.random.pick(['P', 'C']);
  return makeTx(walk, 'export', { destinationChain, amount: String(below(walk, 1e6)), from: walk.random.below(4) });
}

async function claim(walk: Walk): Promise<boolean> {
  const chain = walk.random.pick([pChain, cChain]);
  const [utxoID] = [...(walk.state.exports.get(chain)?.keys() ?? [])];
  if (utxoID === undefined) return false;
  await walk.node.dev('claimExport', { utxoID: idText(utxoID) });
  walk.state = removeExport(walk.state, chain, utxoID);
  return true;
}

async function deposit(walk: Walk): Promise<void> {
  const [from, chain] = walk.random.pick([
    ['P', pChain],
    ['C', cChain],
  ] as const);
  const key = walk.random.pick(walk.wallet.keys);
  const amount = 4_000_000n + below(walk, 1e6);
  const { utxoID } = await walk.node.dev('atomicDeposit', { from, to: addressText(key), amount: String(amount) });
  const { utxos } = await walk.node.dev('listAtomic');
  const { txID } = utxos.find((one: Json) => one.utxoID === utxoID);
  const utxo = makeUtxo(idOf(txID), 0, avax, transfer(avax, amount, ownedBy([key])).output);
  expect(idText(utxo.id)).toBe(utxoID);
  walk.state = addDeposit(walk.state, chain, utxo);
}

/** Operations that make transactions or move outputs between the chains. */
export const transactionOperations: { readonly [name: string]: Operation } = {
  issueTransfer: { weight: 150, run: issueTransfer },
  issueForged: { weight: 40, run: issueForged },
  importDeposit: { weight: 40, run: importDeposit },
  send: { weight: 100, run: send },
  faucet: { weight: 60, run: faucet },
  mint: { weight: 60, run: mint },
  moveSpecial: { weight: 30, run: moveSpecial },
  export: { weight: 40, run: exportOut },
  claim: { weight: 30, run: claim },
  deposit: { weight: 40, run: deposit },
};

/** The waiting transactions that a waiting transaction of the node spends from; none if blocks are built at once. */
async function readParents({ node, state, session }: Walk, id: Id): Promise<Id[]> {
  if (session.automine) return [];
  const { transactions } = await node.get('/v1/networks/local/blockchains/x-chain/mempool?pageSize=100');
  const own = transactions.find(({ txHash }: { txHash: string }) => txHash === idText(id));
  const spent = new Set((own?.consumedUtxos ?? []).map(({ creationTxHash }: { creationTxHash: string }) => creationTxHash));
  return state.pending.filter((one) => spent.has(idText(one.id))).map((one) => one.id);
}
