import { ecdsaSign } from 'secp256k1';
import { type Credential, Credentials } from '../src/avm/tx/credential.ts';
import { TransferableOutput } from '../src/avm/tx/output.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import { idOf } from '../src/base/bytes/id.ts';
import { concat, u64Bytes } from '../src/base/bytes/octets.ts';
import { pack, versionSize } from '../src/base/codec/pack.ts';
import { cChain } from './local-chain.ts';
import { type Key, localChainParams } from './wallet-kit.ts';

/** The account that pays for an export of the C-Chain. */
type Account = { readonly address: Uint8Array; readonly amount: bigint; readonly nonce: bigint; readonly key?: Key };

/** The C-Chain address of the ewoq key. */
export const ewoqCChainAddress = Buffer.from('8db97c7cece249c2b98bdc0226cc4c2a57bf52fc', 'hex');

/** An ExportTx of AVAX from the C-Chain to the X-Chain: its bytes, and the outputs it puts into shared memory. */
export function createCChainExport(account: Account, exported: readonly TransferableOutput[]): { bytes: Uint8Array; utxos: Utxo[] } {
  const body = concat([
    Buffer.from('000000000001', 'hex'),
    u32(localChainParams.networkID),
    Buffer.from(cChain + localChainParams.blockchainID, 'hex'),
    u32(1),
    account.address,
    u64Bytes(account.amount),
    Buffer.from(localChainParams.feeAsset, 'hex'),
    u64Bytes(account.nonce),
    u32(exported.length),
    ...exported.map((one) => pack(TransferableOutput, one).subarray(versionSize)),
  ]);
  const credentials = account.key === undefined ? [] : [signCredential(account.key, sha256(body))];
  const bytes = concat([body, pack(Credentials, credentials).subarray(versionSize)]);
  return { bytes, utxos: exported.map(({ assetID, output }, i) => makeUtxo(idOf(bytes), i, assetID, output)) };
}

function signCredential({ secret }: Key, hash: Uint8Array): Credential {
  const { signature, recid } = ecdsaSign(hash, secret);
  return { kind: 'secp256k1fx.Credential', signatures: [concat([signature, Uint8Array.of(recid)])] };
}

function u32(value: number): Uint8Array {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
}
