import { type UnsignedTx, type Utxo, utils } from '@avalabs/avalanchejs';
import {
  createAvalancheWalletClient,
  createCChainClient,
  createHealthApiClient,
  createInfoApiClient,
  createPChainClient,
  createXChainClient,
} from '@avalanche-sdk/client';
import { privateKeyToAvalancheAccount } from '@avalanche-sdk/client/accounts';
import { avalancheLocal } from '@avalanche-sdk/client/chains';
import { getUtxoFromBytes } from '@avalanche-sdk/client/utils';
import { addressFromBytes } from '../../../src/base/bytes/address.ts';
import { hexOf } from './keys.ts';
import { ewoqSecret, local } from './local-network.ts';
import type { Node } from './node.ts';
import type { Signer } from './own-tx.ts';

/** An account of the SDK, and a client that signs and sends with it. */
export type Wallet = Signer & {
  readonly account: ReturnType<typeof privateKeyToAvalancheAccount>;
  readonly client: ReturnType<typeof createAvalancheWalletClient>;
  readonly addressOn: (chain: 'X' | 'P' | 'C') => string;
  readonly bytes: Uint8Array;
};

/** @avalanche-sdk/client connected to a node, with the steps that every story repeats. */
export type Client = ReturnType<typeof openClient>;

export function openClient(node: Node) {
  const transport = { type: 'http', url: node.url } as const;
  const at = { chain: avalancheLocal, transport };
  const x = createXChainClient(at);

  const walletOf = (secret: Uint8Array): Wallet => {
    const account = privateKeyToAvalancheAccount(`0x${hexOf(secret)}`);
    const bytes = utils.bech32ToBytes(account.getXPAddress('X', local.hrp));
    return {
      account,
      client: createAvalancheWalletClient({ account, ...at }),
      addressOn: (chain) => account.getXPAddress(chain, local.hrp),
      bytes,
      address: addressFromBytes(bytes),
      sign: async (unsigned) => utils.hexToBuffer(await account.xpAccount!.signTransaction(unsigned)),
    };
  };
  const ewoq = walletOf(ewoqSecret);

  const waitForTx = async (txHash: string): Promise<string> => {
    await ewoq.client.waitForTxn({ txHash, chainAlias: 'X', sleepTime: 10, maxRetries: 2_000 });
    return txHash;
  };
  const send = async (from: Wallet, tx: UnsignedTx): Promise<string> =>
    waitForTx((await from.client.sendXPTransaction({ tx, chainAlias: 'X' })).txHash);
  const pay = async (from: Wallet, outputs: Output[], options: Omit<BaseTxn, 'outputs'> = {}): Promise<string> =>
    send(from, (await from.client.xChain.prepareBaseTxn({ outputs, ...options })).tx);

  return {
    x,
    p: createPChainClient(at),
    c: createCChainClient(at),
    info: createInfoApiClient(at),
    health: createHealthApiClient(at),
    walletOf,
    ewoq,
    send,
    /** Sends signed bytes. */
    issueBytes: async (tx: string): Promise<string> => waitForTx((await x.issueTx({ tx, encoding: 'hex' })).txID),
    pay,
    fund: (to: Wallet, amount: bigint): Promise<string> => pay(ewoq, [{ addresses: [to.addressOn('X')], amount }]),
    utxos: async (wallet: Wallet): Promise<Utxo[]> =>
      (await x.getUTXOs({ addresses: [wallet.addressOn('X')] })).utxos.map((utxo) => getUtxoFromBytes(utxo, 'X')),
    balance: async (wallet: Wallet, assetID = 'AVAX'): Promise<bigint> =>
      BigInt((await x.getBalance({ address: wallet.addressOn('X'), assetID })).balance),
  };
}

type BaseTxn = Parameters<Wallet['client']['xChain']['prepareBaseTxn']>[0];
type Output = NonNullable<BaseTxn['outputs']>[number];
