import { Avalanche, avm, BN, Buffer } from 'avalanche';
import { addressFromBytes } from '../../../src/base/bytes/address.ts';
import { sha256 } from '../../../src/base/bytes/hash.ts';
import { ewoqSecret, local } from './local-network.ts';
import { type Node, waitForAccepted } from './node.ts';
import type { Signer } from './own-tx.ts';

/** A key and its addresses, derived by the client. */
export type Wallet = Signer & {
  readonly keychain: avm.KeyChain;
  readonly bytes: Buffer;
  readonly addressOn: (chain: 'X' | 'P' | 'C') => string;
};

export function walletOf(secret: Uint8Array): Wallet {
  const keychain = new avm.KeyChain(local.hrp, 'X');
  const pair = keychain.importKey(Buffer.from(secret)) && keychain.getKey(keychain.getAddresses()[0]!);
  const bytes = pair.getAddress();
  return {
    keychain,
    bytes,
    addressOn: (chain) => pair.getAddressString().replace(/^X-/, `${chain}-`),
    address: addressFromBytes(Uint8Array.from(bytes)),
    sign: async (unsigned) => Uint8Array.from(pair.sign(Buffer.from(sha256(unsigned)))),
  };
}

/** The fee that this client always pays for a new asset; the excess is burned. */
export const creationFee = 10_000_000n;

/** Merges the keys of several wallets into one keychain. */
export function mergeKeychains(...wallets: Wallet[]): avm.KeyChain {
  const keychain = new avm.KeyChain(local.hrp, 'X');
  for (const wallet of wallets) for (const address of wallet.keychain.getAddresses()) keychain.addKey(wallet.keychain.getKey(address));
  return keychain;
}

export const ewoq = walletOf(ewoqSecret);

export const bn = (amount: bigint): BN => new BN(amount.toString());

/** avalanche 3.16.0 connected to a node, with the steps that every story repeats. */
export type Client = ReturnType<typeof openClient>;

export function openClient(node: Node) {
  const { hostname, port } = new URL(node.url);
  // Its built-in C-Chain ID of the local network is outdated.
  const avalanche = new Avalanche(hostname, Number(port), 'http', local.networkID, local.xBlockchainID, local.cBlockchainID);
  const x = avalanche.XChain();

  const utxos = async (wallet: Wallet): Promise<avm.UTXOSet> => (await x.getUTXOs([wallet.addressOn('X')])).utxos;

  const waitForTx = async (txID: string): Promise<string> => {
    await waitForAccepted(() => x.getTxStatus(txID));
    return txID;
  };
  const issue = async (tx: avm.UnsignedTx, keychain: avm.KeyChain): Promise<string> => waitForTx(await x.issueTx(tx.sign(keychain)));

  /** Sends any asset to one or more owners. */
  const pay = async (
    from: Wallet,
    to: Wallet[],
    amount: bigint,
    { asset = local.avaxAssetID as string, locktime = 0n, threshold = 1 } = {},
  ) => {
    const names = to.map((wallet) => wallet.addressOn('X'));
    const mine = [from.addressOn('X')];
    const tx = await x.buildBaseTx(await utxos(from), bn(amount), asset, names, mine, mine, undefined, undefined, bn(locktime), threshold);
    return issue(tx, from.keychain);
  };

  return {
    avalanche,
    x,
    utxos,
    issue,
    /** Sends signed bytes. */
    issueBytes: async (tx: string): Promise<string> => waitForTx(await x.issueTx(tx)),
    pay,
    fund: (to: Wallet, amount: bigint): Promise<string> => pay(ewoq, [to], amount),
    balance: async (wallet: Wallet, assetID = 'AVAX', includePartial = false): Promise<bigint> =>
      BigInt((await x.getBalance(wallet.addressOn('X'), assetID, includePartial)).balance as never as string),
  };
}

/** The UTXOs of one output type. */
export const ofKind = (set: avm.UTXOSet, kind: number): avm.UTXO[] =>
  set.getAllUTXOs().filter((utxo) => utxo.getOutput().getOutputID() === kind);
