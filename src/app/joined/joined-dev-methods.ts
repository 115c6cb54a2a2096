import { peerMethods } from '../../api/dev/node-methods.ts';
import { createDevAccess } from '../../api/http/dev-access.ts';
import { devPath, maxTxBody } from '../../api/http/node-routes.ts';
import { combineServices, createService } from '../../api/rpc/method.ts';
import { avalanchePath, defaultAccounts, deriveAccounts, testMnemonic } from '../../avm/wallet/accounts.ts';
import { mayServeDev } from '../dev/dev-methods.ts';
import { createNodeWallet, createWalletServices } from '../dev/node-wallet.ts';
import type { NodeChains } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import type { Contribution } from '../node/parts.ts';
import type { JoinedNetwork } from './joined-network.ts';

/** The accounts of a test network: the key that the local genesis funds, and those of the mnemonic that everyone knows, which have no funds at first. */
const accountOptions = { count: defaultAccounts, mnemonic: testMnemonic, derivationPath: avalanchePath };

/** `--dev-methods`: the methods of the developer's chain that work where peers decide the blocks. */
export function joinedDevMethods(
  { config, env, context, bus, lifecycles }: NodeCore,
  [x]: NodeChains,
  { blockPeers, delayPeers }: Pick<JoinedNetwork, 'blockPeers' | 'delayPeers'>,
): Contribution {
  if (!mayServeDev(config)) return {};
  const accounts = deriveAccounts(accountOptions, env.keyCrypto);
  const wallet = createNodeWallet({ x, context, accounts, events: bus, timers: env.timers });
  const services = combineServices(
    ...createWalletServices(wallet, x, lifecycles.of(x.spec.id)),
    createService('dev', peerMethods, { blockPeers, delayPeers }),
  );
  return { routes: [[devPath, { services, maxBody: maxTxBody, ...createDevAccess(config.devToken) }]] };
}
