import { insightMethods } from '../../api/dev/insight-methods.ts';
import { moneyMethods } from '../../api/dev/money-methods.ts';
import { peerMethods } from '../../api/dev/node-methods.ts';
import { createDevAccess } from '../../api/http/dev-access.ts';
import { devPath, maxTxBody } from '../../api/http/node-routes.ts';
import { combineServices, createService } from '../../api/rpc/method.ts';
import { avalanchePath, defaultAccounts, deriveAccounts, testMnemonic } from '../../avm/wallet/accounts.ts';
import { idText } from '../../base/bytes/id.ts';
import type { JoinedNetwork } from '../chains/joined-network.ts';
import type { NodeChains } from '../chains/node-chain.ts';
import { createNodeWallet } from '../dev/node-wallet.ts';
import { type ChainTools, createChainAddressFormat } from '../setup/avm-chain.ts';
import { mayServeDev } from './dev-methods.ts';
import type { NodeCore } from './node-core.ts';
import type { Contribution } from './parts.ts';

/** The accounts of a test network: the key that the local genesis funds, and those of the mnemonic that everyone knows, which have no funds at first. */
const accountOptions = { count: defaultAccounts, mnemonic: testMnemonic, derivationPath: avalanchePath };

/** `--dev-methods`: the methods of the developer's chain that work where peers decide the blocks. */
export function joinedDevMethods(
  { config, env, context, bus, lifecycles }: NodeCore,
  [x]: NodeChains,
  { blockPeers }: Pick<JoinedNetwork, 'blockPeers'>,
): Contribution {
  if (!mayServeDev(config)) return {};
  const accounts = deriveAccounts(accountOptions, env.keyCrypto);
  const wallet = createNodeWallet({ context, accounts, events: bus, timers: env.timers }, x);
  const { chain, explain, prepare } = x.tools as ChainTools;
  const { format } = createChainAddressFormat(x.spec.id, context.chain);
  const services = combineServices(
    createService('dev', moneyMethods, { wallet }),
    createService('dev', insightMethods, {
      chain,
      explain,
      prepare,
      findUtxo: x.opened.state.findUtxo,
      consumerOf: x.opened.state.consumerOf,
      wallet,
      lifecycle: lifecycles.of(x.spec.id),
      json: { address: format, id: idText },
    }),
    createService('dev', peerMethods, { blockPeers }),
  );
  return { routes: [[devPath, { services, maxBody: maxTxBody, ...createDevAccess(config.devToken) }]] };
}
