import { type Address, addressFromBytes, addressLength, createAddressFormatter } from '../../base/bytes/address.ts';
import { bech32Decode } from '../../base/bytes/bech32.ts';
import { cb58Decode } from '../../base/bytes/cb58.ts';
import { formatHex, fromHex, parseHex } from '../../base/bytes/hex.ts';
import { idText, parseId } from '../../base/bytes/id.ts';
import type { JsonContext } from '../../base/codec/codec.ts';
import { type Block, parseBlock } from '../tx/block.ts';
import { parseTx, type Tx } from '../tx/tx.ts';
import { parseUtxo, type Utxo } from '../tx/utxo.ts';
import { avalanchePath, deriveAccounts } from './accounts.ts';
import { WalletError } from './fault.ts';
import { createKey, type Key } from './key.ts';
import { portableKeyCrypto } from './portable-crypto.ts';
import type { ChainParams } from './wallet.ts';

/** Conversions between the texts of the Node RPC and the values of this module. */

/** The key of a text: `PrivateKey-…` as AvalancheGo writes it, or 64 hex digits, with or without `0x`. */
export function parseKey(text: string): Key {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  const secret = digits === undefined ? cb58Decode(text.replace(/^PrivateKey-/, '')) : fromHex(digits);
  if (secret.length !== 32) throw new WalletError('a private key has 32 bytes', { code: 'WALLET_BAD_KEY' });
  return createKey(secret, portableKeyCrypto);
}

/** The first `count` keys of a mnemonic, as Avalanche's wallets derive them. The words are not checked. */
export const keysOfMnemonic = (mnemonic: string, count: number, derivationPath = avalanchePath): Key[] =>
  deriveAccounts({ count, mnemonic, derivationPath }, portableKeyCrypto)
    .slice(1)
    .map(({ key }) => key);

/** The address in a text such as `X-local1…`; the prefix of a chain may be missing. */
export function parseAddress(text: string): Address {
  const { bytes, unpaddedLength } = bech32Decode(text.slice(text.indexOf('-') + 1));
  if (unpaddedLength === addressLength) return addressFromBytes(bytes);
  throw new WalletError(`${JSON.stringify(text)} is not an address: it has ${unpaddedLength} bytes instead of ${addressLength}`, {
    code: 'WALLET_BAD_ADDRESS',
    address: text,
  });
}

/** How JSON shows addresses and IDs: `txJson(tx, createJsonContext('X', 'local'))`. */
export const createJsonContext = (chainAlias: string, hrp: string): JsonContext => ({
  address: createAddressFormatter(chainAlias, hrp),
  id: idText,
});

/** Hex with a checksum, as `avm.issueTx` takes it. */
export const formatTx = ({ bytes }: Tx): string => formatHex('hex', bytes);

/** Parses hex with a checksum, as the Node RPC returns it. */
export const parseTxText = (text: string): Tx => parseTx(parseHex('hex', text));
export const parseUtxoText = (text: string): Utxo => parseUtxo(parseHex('hex', text));
export const parseBlockText = (text: string): Block => parseBlock(parseHex('hex', text));

/** The methods that `readChainParams` calls: those of `createNode` or `createClient`. */
export type ChainParamsSource = {
  readonly info: {
    readonly getNetworkID: () => Promise<{ readonly networkID: number }>;
    readonly getBlockchainID: (alias: string) => Promise<{ readonly blockchainID: string }>;
  };
  readonly avm: {
    readonly getTxFee: () => Promise<{ readonly txFee: bigint; readonly createAssetTxFee: bigint }>;
    readonly getAssetDescription: (assetID: string) => Promise<{ readonly assetID: string }>;
  };
};

/** IDs and fees of the X-Chain of a node. */
export async function readChainParams({ info, avm }: ChainParamsSource): Promise<ChainParams> {
  const [{ networkID }, { blockchainID }, { txFee, createAssetTxFee }, { assetID }] = await Promise.all([
    info.getNetworkID(),
    info.getBlockchainID('X'),
    avm.getTxFee(),
    avm.getAssetDescription('AVAX'),
  ]);
  return { networkID, blockchainID: parseId(blockchainID), feeAsset: parseId(assetID), txFee, createAssetTxFee };
}
