import { chainPath, type PageContext } from '../load/page-context.ts';
import { curlText } from '../text/curl-text.ts';

type Step = { readonly title: string; readonly note: string; readonly code: string };

/** Commands to begin with, each with a button that copies it. They run as they are shown. */
export const FirstSteps = ({ context, origin }: { context: PageContext; origin: string }) => (
  <ol class="steps">
    {stepsOf(context, origin).map(({ title, note, code }, at) => (
      <li>
        <div>
          <h3>
            <span class="step-number">{at + 1}</span>
            {title}
          </h3>
          <p class="note">{note}</p>
          <button type="button" data-copy={code} aria-label={`Copy: ${title}`}>
            Copy
          </button>
        </div>
        <pre>{code}</pre>
      </li>
    ))}
  </ol>
);

function stepsOf(context: PageContext, origin: string): readonly Step[] {
  const [first, second] = accountsOf(context);
  // With a token, a command would have to contain it.
  return context.has.dev && !context.has.devToken && first !== undefined
    ? devSteps(context, origin, first, second ?? first)
    : readingSteps(context, origin);
}

/** Addresses of accounts 1 and 2, or of account 0 where there are no others. */
function accountsOf({ accountNames = {}, chain }: PageContext): string[] {
  const addressOf = (name: string) => Object.entries(accountNames).find(([, one]) => one === name)?.[0];
  const found = [1, 2, 0].flatMap((number) => addressOf(`account ${number}`) ?? []);
  return found.map((address) => `${chain.alias}-${address}`);
}

/** On a developer's chain: fund, send, send from a program. */
function devSteps({ chain }: PageContext, origin: string, first: string, second: string): readonly Step[] {
  const amount = (units: string): string => `${units} ${chain.feeSymbol}`;
  const call = (method: string, params: object): string =>
    curlText({
      method: 'POST',
      url: `${origin}/ext/dev`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  return [
    {
      title: 'Fund an address',
      note: 'Any address of this network, or an account as here.',
      code: call('dev.faucet', { to: first, amount: amount('100') }),
    },
    {
      title: 'Send from an account',
      note: 'The node signs for its accounts. It answers when the transaction is accepted.',
      code: call('dev.send', { from: first, to: second, amount: amount('1.5') }),
    },
    {
      title: 'Send from a program',
      note: 'TypeScript; wallets and SDKs for the X-Chain take the same URL.',
      code: `import { createClient } from 'serac/client';

const node = createClient('${origin}');
const { txID } = await node.dev.send({ from: '${first}', to: '${second}', amount: '${amount('2')}' });
console.log(await node.avm.getTxStatus({ txID }));`,
    },
  ];
}

/** On any other chain: read, follow, read from a program. */
function readingSteps(context: PageContext, origin: string): readonly Step[] {
  const { has, chain } = context;
  const follow: Step = {
    title: 'Follow transactions',
    note: 'Each line is a transaction as it is accepted.',
    code: `curl -sN --max-time 60 '${origin}/ext/events?kind=tx'`,
  };
  const program: Step = {
    title: 'Read from a program',
    note: 'TypeScript; wallets and SDKs for the X-Chain take the same URL. They send signed transactions with avm.issueTx.',
    code: `import { createClient } from 'serac/client';

const node = createClient('${origin}');
console.log(await node.avm.getHeight());`,
  };
  return [
    { title: 'Read the last block', note: 'The Data API.', code: `curl -s '${origin}${chainPath(context)}/blocks?pageSize=1'` },
    ...(has.events ? [follow] : []),
    ...(has.rpc && chain.rpcUrl.startsWith('/') ? [program] : []),
  ];
}
