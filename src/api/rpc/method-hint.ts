import { findNearestName } from '../../base/bytes/nearest-name.ts';
import { services } from '../contract/services.ts';
import type { MethodHint } from './fault.ts';

const signInClient = 'build and sign the transaction in the client, then send it with avm.issueTx';
const keysInClient = 'keys stay in the client: no node stores them any more';
const genesisFlags = 'give the genesis with --genesis-file or --chains';

/** Methods that AvalancheGo has removed, with their replacements. */
const removedMethods: { readonly [method: string]: string } = {
  'avm.getAddressTxs': 'GET /v1/networks/{network}/blockchains/x-chain/transactions?addresses={address}',
  'avm.send': signInClient,
  'avm.sendMultiple': signInClient,
  'avm.sendNFT': signInClient,
  'avm.mint': signInClient,
  'avm.mintNFT': signInClient,
  'avm.createFixedCapAsset': signInClient,
  'avm.createVariableCapAsset': signInClient,
  'avm.createNFTAsset': signInClient,
  'avm.export': signInClient,
  'avm.exportAVAX': signInClient,
  'avm.import': signInClient,
  'avm.importAVAX': signInClient,
  'avm.createAddress': keysInClient,
  'avm.listAddresses': keysInClient,
  'avm.importKey': keysInClient,
  'avm.exportKey': keysInClient,
  'avm.buildGenesis': genesisFlags,
  'wallet.send': signInClient,
  'wallet.sendMultiple': signInClient,
};

/** Guesses what the caller of an unknown method meant; empty if there is no guess. `known`: the methods of the called path. */
export function findMethodHint(method: string, pathMethods: Iterable<string>): MethodHint {
  const names = [...pathMethods];
  const replacedBy = Object.hasOwn(removedMethods, method) ? removedMethods[method] : undefined;
  if (replacedBy !== undefined) return { replacedBy };
  const service = method.slice(0, Math.max(0, method.indexOf('.')));
  const isHere = names.some((name) => name.startsWith(`${service}.`));
  // Names of the C-Chain's own methods have no service.
  const owner = Object.values(services).find(({ prefix }) => prefix === `${service}.`);
  if (!isHere && owner !== undefined) return { path: owner.path };
  const didYouMean = findNearestName(method, names);
  return didYouMean === undefined ? {} : { didYouMean };
}
