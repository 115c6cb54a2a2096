import { type Address, createAddressFormatter } from '../../base/bytes/address.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { type Id, parseId, zeroId } from '../../base/bytes/id.ts';
import type { RecoverSigner } from '../../base/crypto/recover.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import { type Credential, signatureLength } from '../tx/credential.ts';
import { effectsOf } from '../tx/effects.ts';
import { parseTx, type Tx } from '../tx/tx.ts';
import { parseUtxo, type Utxo } from '../tx/utxo.ts';
import type { View } from '../view.ts';
import { TxError, type TxFault } from './fault.ts';
import type { Rules } from './rules.ts';
import { type SpendContext, verifySpend } from './spend.ts';
import { verifySyntax } from './syntax.ts';

/** For the tests of this module: the local network's rules, an in-memory ledger and fake signatures. */

export const xChain = parseId('2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed');
export const cChain = parseId('2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC');
export const pChain = zeroId;
export const avax = parseId('2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe');
const chains: { readonly [alias: string]: Id } = { X: xChain, P: pChain, C: cChain };

export const localRules: Rules = {
  networkID: 12345,
  chainID: xChain,
  feeAsset: avax,
  txFee: 1_000_000n,
  createAssetTxFee: 1_000_000n,
};

/** A time for the captured transactions: their locktimes are in the past or in the year 2100. */
const captureTime = 1_763_000_000n;

/** The fake signature of an address is the address itself, padded. */
export const fakeSignature = (address: Address): Uint8Array => Buffer.concat([fromHex(address), Buffer.alloc(signatureLength - 20)]);
export const fakeRecover: RecoverSigner = (_, signature) => toHex(signature.subarray(0, 20)) as Address;

export const localContext: SpendContext = {
  chainID: xChain,
  subnetID: zeroId,
  subnetOf: (chainID) => (Object.values(chains).includes(chainID) ? zeroId : undefined),
  now: captureTime,
  recover: fakeRecover,
  addressText: createAddressFormatter('X', 'local'),
  bootstrapped: true,
};

type TestLedger = { readonly view: View; readonly apply: (tx: Tx) => void; readonly put: (sourceChain: Id, utxo: Utxo) => void };

export function createTestLedger(genesisTx: string): TestLedger {
  const memory = new Map<string, Utxo>();
  const key = (sourceChain: Id, utxoID: Id) => `${sourceChain}:${utxoID}`;
  const view = createDiff({
    utxo: () => undefined,
    asset: () => undefined,
    tx: () => undefined,
    atomic: (sourceChain, utxoID) => memory.get(key(sourceChain, utxoID)),
  });
  const apply = (tx: Tx): void => {
    const effects = effectsOf(tx);
    view.apply(tx, effects);
    for (const id of effects.imported?.ids ?? []) memory.delete(key(effects.imported?.from as Id, id));
  };
  apply(txOf(genesisTx));
  return { view, apply, put: (sourceChain, utxo) => memory.set(key(sourceChain, utxo.id), utxo) };
}

const bytesOf = (hex: string): Uint8Array => fromHex(hex.slice(2));
export const txOf = (hex: string): Tx => parseTx(bytesOf(hex));

export type SharedMemoryPut = { readonly sourceChain: string; readonly value: string };
export function putInSharedMemory(ledger: TestLedger, puts: readonly SharedMemoryPut[]): void {
  for (const { sourceChain, value } of puts) ledger.put(chains[sourceChain] as Id, parseUtxo(bytesOf(value)));
}

/** Runs both verifications, as a node does. */
export function verify(tx: Tx, view: View, context: SpendContext, rules = localRules): void {
  verifySyntax(tx, rules);
  verifySpend(tx, view, context);
}

/** Returns the TxError that `run` throws, with its message; any other error is passed on. */
export function faultOf(run: () => void): (TxFault & { text: string }) | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof TxError)) throw error;
    return { ...error.fault, text: error.message };
  }
}

export const codeOf = (run: () => void): string | undefined => faultOf(run)?.code;

export const credential = (kind: 'secp256k1fx' | 'nftfx' | 'propertyfx', ...signers: Address[]): Credential => ({
  kind: `${kind}.Credential`,
  signatures: signers.map(fakeSignature),
});
