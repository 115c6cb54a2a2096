import {
  addTxSignatures,
  avm,
  Context,
  evm,
  info,
  pvm,
  secp256k1,
  TransferableOutput,
  type UnsignedTx,
  type Utxo,
  utils,
} from '@avalabs/avalanchejs';
import { addressFromBytes } from '../../../src/base/bytes/address.ts';
import { ewoqSecret, local } from './local-network.ts';
import { type Node, waitForAccepted } from './node.ts';
import type { Signer } from './own-tx.ts';

/** A key and its addresses, derived by the client. */
export type Wallet = Signer & {
  readonly secret: Uint8Array;
  readonly bytes: Uint8Array;
  readonly addressOn: (chain: 'X' | 'P' | 'C') => string;
};

export function walletOf(secret: Uint8Array): Wallet {
  const bytes = secp256k1.publicKeyBytesToAddress(secp256k1.getPublicKey(secret));
  return {
    secret,
    bytes,
    addressOn: (chain) => utils.format(chain, local.hrp, bytes),
    address: addressFromBytes(bytes),
    sign: (unsigned) => secp256k1.sign(unsigned, secret),
  };
}

export const ewoq = walletOf(ewoqSecret);

/** avalanchejs connected to a node, with the steps that every story repeats. */
export type Client = Awaited<ReturnType<typeof openClient>>;

export async function openClient(node: Node) {
  const context = await Context.getContextFromURI(node.url);
  const x = new avm.AVMApi(node.url);

  const waitForTx = async (txID: string): Promise<string> => {
    await waitForAccepted(async () => (await x.getTxStatus({ txID })).status);
    return txID;
  };

  /** Signs with the given keys, sends, and waits until the transaction is accepted. */
  const issue = async (unsignedTx: UnsignedTx, ...signers: Wallet[]): Promise<string> => {
    await addTxSignatures({ unsignedTx, privateKeys: signers.map((signer) => signer.secret) });
    return waitForTx((await x.issueSignedTx(unsignedTx.getSignedTx())).txID);
  };

  const utxos = async (wallet: Wallet): Promise<Utxo[]> => (await x.getUTXOs({ addresses: [wallet.addressOn('X')] })).utxos;

  return {
    context,
    x,
    p: new pvm.PVMApi(node.url),
    c: new evm.EVMApi(node.url),
    info: new info.InfoApi(node.url),
    issue,
    /** Sends signed bytes. */
    issueBytes: async (tx: string): Promise<string> => waitForTx((await x.issueTx({ tx })).txID),
    utxos,
    /** The client's types are those of the P-Chain; the X-Chain takes one address and an asset, and returns a decimal string. */
    balance: async (wallet: Wallet, assetID = 'AVAX', includePartial = false): Promise<bigint> => {
      const request = { address: wallet.addressOn('X'), assetID, includePartial } as never;
      return BigInt((await x.getBalance(request)).balance);
    },
    pay: async (from: Wallet, outputs: TransferableOutput[], options?: { memo?: Uint8Array }): Promise<string> =>
      issue(avm.newBaseTx(context, [from.bytes], await utxos(from), outputs, options), from),
    fund: async (to: Wallet, amount: bigint): Promise<string> =>
      issue(avm.newBaseTx(context, [ewoq.bytes], await utxos(ewoq), [avaxOutput(amount, to)]), ewoq),
  };
}

/** An AVAX output for one owner. */
export const avaxOutput = (amount: bigint, to: Wallet): TransferableOutput =>
  TransferableOutput.fromNative(local.avaxAssetID, amount, [to.bytes]);
