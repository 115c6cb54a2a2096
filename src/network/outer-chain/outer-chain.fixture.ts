import { openLocalChain } from '../../../test/local-chain.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, ownedBy, signDraft, transfer } from '../../../test/wallet-kit.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { EngineBlock, Vm } from '../../avm/vm.ts';
import { type Id, idFromBytes } from '../../base/bytes/id.ts';
import { nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { Fault } from '../../base/fault.ts';
import type { Chain } from '../../chain/lifecycle/chain.ts';
import type { OpenDatabase } from '../../ledger/store/database.ts';
import { newKeyPair } from '../identity/certificate.ts';
import { signStaking, verifyStakingSignature } from '../identity/staking-certificate.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';
import type { Proposer } from './outer-builder.ts';
import { type OuterStore, openOuterStore } from './outer-store.ts';
import { createOuterVm, type OuterVmParts } from './outer-vm.ts';

/** The rules of the local network. */
export const localOuterRules = { durangoTime: 0n, graniteTime: 0n, epochSeconds: 30n, minPChainHeight: 0n };

export const noValidators: ValidatorSet = new Map();

/** Validators of a network without sybil protection, as the proposervm sees them. */
export const anyoneProposes: Pick<Validators, 'at' | 'load' | 'proposedHeight' | 'knownHeight'> = {
  at: () => noValidators,
  load: async () => {},
  proposedHeight: () => 0n,
  knownHeight: () => maxU64,
};

export function createProposer(): Proposer {
  const { certificate, privateKey } = newKeyPair(1_700_000_000n);
  return { nodeId: nodeIdOfCertificate(certificate), certificate, sign: (message) => signStaking(privateKey, message) };
}

export type TestClock = { ms: number };
export const testClock = (): TestClock => ({ ms: 1_800_000_000_000 });

export type TestChain = ReturnType<typeof openOuterChain>;

/** A wrapped X-Chain of a new local network, with the real chain, state and database. */
export function openOuterChain(
  clock: TestClock,
  options: {
    path?: string;
    openDatabase?: OpenDatabase;
    acceptUnknownImports?: boolean;
    wrapInner?: (chain: Chain) => Chain;
    wrapStore?: (store: OuterStore) => OuterStore;
  } & Partial<OuterVmParts> = {},
) {
  const { path, openDatabase, acceptUnknownImports = false, wrapInner = (chain) => chain, wrapStore = (store) => store, ...deps } = options;
  const now = () => BigInt(Math.floor(clock.ms / 1000));
  const local = openLocalChain({
    now,
    acceptUnknownImports,
    ...(path === undefined ? {} : { path }),
    ...(openDatabase && { openDatabase }),
  });
  const outerStore = wrapStore(openOuterStore(local.store, local.state.id, local.state.blockAt));
  const vm = createOuterVm({
    inner: wrapInner(local.chain),
    store: outerStore,
    chainID: local.state.id,
    rules: localOuterRules,
    validators: anyoneProposes,
    verifySignature: verifyStakingSignature,
    proposer: createProposer(),
    now: () => clock.ms,
    minBlockDelay: 1000,
    ...deps,
  });
  return { ...local, vm, outerStore };
}

/** Makes transactions that spend each other's change, from the genesis output of the funded key. */
export function createIssuer(): () => Tx {
  const wallet = createWallet('outer', { keys: [ewoq] });
  let change: Utxo = ewoqGenesisUtxo;
  return () => {
    const tx = signDraft(baseTx(wallet, { utxos: [change] }, [transfer(wallet.chainParams.feeAsset, 1n, ownedBy([wallet.keys[1]!]))]));
    change = effectsOf(tx).created.find(({ output }) => output.addresses[0] === ewoq.address) as Utxo;
    return tx;
  };
}

export function acceptBlock(vm: Vm, block: EngineBlock): void {
  vm.verify(block);
  vm.setPreference(block.id);
  vm.accept([block.id]);
}

/** Issues a transaction, builds a block with it and accepts it. */
export function extend({ chain, vm }: TestChain, tx: Tx): EngineBlock {
  chain.issue(tx);
  const block = vm.build() as EngineBlock;
  acceptBlock(vm, block);
  return block;
}

export const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (error) {
    if (error instanceof Fault) return error.fault.code;
    throw error;
  }
};

export const randomId = (): Id => idFromBytes(crypto.getRandomValues(new Uint8Array(32)));
