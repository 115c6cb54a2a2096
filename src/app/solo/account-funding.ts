import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import { makeUtxo, parseUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Account } from '../../avm/wallet/accounts.ts';
import { baseTx, importTx } from '../../avm/wallet/transactions.ts';
import { type ChainParams, type Draft, findSigners, ownedBy, signDraft, transfer } from '../../avm/wallet/wallet.ts';
import { zeroAddress } from '../../base/bytes/address.ts';
import { checksumLength } from '../../base/bytes/hash.ts';
import { type Id, idOf, idToBytes, zeroId } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { verifyBlock } from '../../chain/lifecycle/processing.ts';
import type { BlockVerifier } from '../../chain/lifecycle/tx-verifier.ts';
import type { AtomicOutputs, OpenedChain } from '../node/node-store.ts';
import type { AvmChainSpec } from '../node/running-chain.ts';

type FundingRequest = {
  readonly spec: AvmChainSpec;
  readonly opened: OpenedChain;
  readonly store: Pick<AtomicOutputs, 'putAtomicUtxo' | 'knowsAtomicUtxo'>;
  /** Account 0 pays; the others are funded. */
  readonly accounts: readonly [Account, ...Account[]];
  /** nAVAX of each account. */
  readonly balance: bigint;
  /** The P-Chain, from which funds are deposited if the genesis gives account 0 too little. */
  readonly depositChain: Id;
  readonly networkID: number;
  readonly verifier: BlockVerifier;
  /** Unix seconds. */
  readonly now: () => bigint;
  /** False on a fork, whose outputs belong to its user: the funds are always deposited. */
  readonly spendsGenesis: boolean;
};

/**
 * Funds the accounts in block 1 of a chain that has only its genesis, with one transaction and the time of block 0, so that all IDs are the
 * same on every machine. If the genesis gives account 0 too little (custom genesis, copies of fuji and mainnet), the funds are deposited from
 * the P-Chain and imported; account 0 then gets as much as on the local network.
 */
export function fundAccounts(request: FundingRequest): void {
  const { opened, accounts, verifier, now } = request;
  const parent = opened.ledger.lastAccepted();
  if (parent.height !== 0n || accounts.length === 1) return;
  const block = makeBlock({ parentID: parent.id, height: 1n, time: parent.time, txs: [signDraft(createFundingTx(request))] });
  const { diff } = verifyBlock(block, {
    verifier,
    now,
    parent: () => ({ ...parent, view: opened.ledger }),
    importedByAncestors: () => new Set(),
    effectsOf,
    onDropped: () => {},
  });
  opened.ledger.accept([{ block, diff }]);
}

export const chainParamsOf = (spec: AvmChainSpec, networkID: number): ChainParams => ({
  networkID,
  blockchainID: spec.id,
  feeAsset: spec.genesis.assets[0].tx.id,
  ...spec.fees,
});

/** What account 0 keeps after a deposit: as much as AvalancheGo's local genesis gives it. */
const depositBalance = 300_000_000n * 1_000_000_000n;

function createFundingTx(request: FundingRequest): Draft {
  const { spec, accounts, balance, networkID } = request;
  const [payer, ...funded] = accounts;
  const chainParams = chainParamsOf(spec, networkID);
  const wallet = { keys: [payer.key], chainParams };
  const sent = funded.map(({ key }) => transfer(chainParams.feeAsset, balance, ownedBy([key])));
  const cost = balance * BigInt(funded.length) + chainParams.txFee;
  const utxos = request.spendsGenesis ? readGenesisFunds(request, chainParams.feeAsset) : [];
  const available = utxos.reduce((sum, { output }) => sum + ('amount' in output ? output.amount : 0n), 0n);
  if (available >= cost) return baseTx(wallet, { utxos }, sent);
  const deposit = createDeposit(request, chainParams, cost + depositBalance);
  return importTx(wallet, { utxos: [] }, request.depositChain, [deposit], sent);
}

/** The outputs of AVAX that the genesis gives to account 0 alone and that were never locked. */
function readGenesisFunds({ spec, opened, accounts: [payer] }: FundingRequest, asset: Id): Utxo[] {
  const { utxos } = opened.reads.utxos(spec.id, [payer.key.address], { address: zeroAddress, utxoID: zeroId }, maxGenesisUtxos);
  return utxos
    .map((bytes) => parseUtxo(bytes.subarray(0, -checksumLength)))
    .filter((utxo) => utxo.assetID === asset && utxo.output.kind === 'secp256k1fx.TransferOutput')
    .filter((utxo) => findSigners({ keys: [payer.key] }, utxo) !== undefined);
}

const maxGenesisUtxos = 256;

/** Adds an output of account 0 to the memory shared with the P-Chain, unless a start that was interrupted has added it already. */
function createDeposit({ spec, store, accounts: [payer], depositChain }: FundingRequest, { feeAsset }: ChainParams, amount: bigint): Utxo {
  const txID = idOf(concat([Buffer.from('serac: deposit for the accounts'), idToBytes(spec.id), Buffer.from(amount.toString())]));
  const deposit = makeUtxo(txID, 0, feeAsset, transfer(feeAsset, amount, ownedBy([payer.key])).output);
  if (!store.knowsAtomicUtxo(spec.id, depositChain, deposit.id)) store.putAtomicUtxo(spec.id, depositChain, deposit);
  return deposit;
}
