import type { MethodHint } from './fault.ts';
import { nearest } from './nearest.ts';

/** Where each service is found on a node. Further chains of the AVM serve `avm` and `wallet` under their own alias. */
export const servicePaths = {
  avm: '/ext/bc/X',
  wallet: '/ext/bc/X/wallet',
  info: '/ext/info',
  health: '/ext/health',
  platform: '/ext/bc/P',
  avax: '/ext/bc/C/avax',
  dev: '/ext/dev',
} as const;

const signed = 'build and sign the transaction in the client, then send it with avm.issueTx';
const ownKeys = 'keys stay in the client: no node stores them any more';
const genesis = 'give the genesis with --genesis-file or --chains';

/** Methods that AvalancheGo had and has removed, with what does their work now. */
export const removedMethods: { readonly [method: string]: string } = {
  'avm.getAddressTxs': 'GET /v1/networks/{network}/blockchains/x-chain/transactions?addresses={address}',
  'avm.send': signed,
  'avm.sendMultiple': signed,
  'avm.sendNFT': signed,
  'avm.mint': signed,
  'avm.mintNFT': signed,
  'avm.createFixedCapAsset': signed,
  'avm.createVariableCapAsset': signed,
  'avm.createNFTAsset': signed,
  'avm.export': signed,
  'avm.exportAVAX': signed,
  'avm.import': signed,
  'avm.importAVAX': signed,
  'avm.createAddress': ownKeys,
  'avm.listAddresses': ownKeys,
  'avm.importKey': ownKeys,
  'avm.exportKey': ownKeys,
  'avm.buildGenesis': genesis,
  'wallet.send': signed,
  'wallet.sendMultiple': signed,
};

/** What a call of an unknown method probably wanted, as far as that can be told. `known`: the methods of the path that was called. */
export function methodHint(method: string, known: Iterable<string>): MethodHint {
  const names = [...known];
  const replacedBy = Object.hasOwn(removedMethods, method) ? removedMethods[method] : undefined;
  if (replacedBy !== undefined) return { replacedBy };
  const service = method.slice(0, Math.max(0, method.indexOf('.')));
  const isHere = names.some((name) => name.startsWith(`${service}.`));
  if (!isHere && Object.hasOwn(servicePaths, service)) return { path: servicePaths[service as keyof typeof servicePaths] };
  const didYouMean = nearest(method, names);
  return didYouMean === undefined ? {} : { didYouMean };
}
