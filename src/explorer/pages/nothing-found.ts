import { parseId } from '../../base/bytes/id.ts';
import { findNearestName } from '../../base/bytes/nearest-name.ts';
import { unlessFault } from '../../base/fault.ts';
import { loadLabels } from '../load/account-names.ts';
import { parseAddressText } from '../load/address-text.ts';
import type { PageContext } from '../load/page-context.ts';
import { search } from '../load/search.ts';
import type { Source } from '../load/source.ts';
import { groupDigits } from '../text/text-format.ts';
import type { MessageData } from '../views/message-view.tsx';
import { sections } from '../views/sections.ts';
import type { ReferenceLoader } from './load-reference.ts';
import { referencePath } from './page-table.ts';

type Link = MessageData['links'][number];

type Missing = {
  readonly text: string;
  /** Texts with one other character that name something. */
  readonly nearest: readonly Link[];
  /** Height of the last block; undefined if it cannot be read. */
  readonly tip: number | undefined;
  readonly reference: ReferenceLoader;
};

/** Why nothing has a name, and what is most like it: what to do next. */
export async function explainMissing(
  source: Source,
  context: PageContext,
  { text, nearest, tip, reference }: Missing,
): Promise<Pick<MessageData, 'text' | 'links'>> {
  const { chain, network, has } = context;
  const typed = text.trim();
  if (/^[\d,]{1,20}$/.test(typed) && tip !== undefined)
    return {
      text: `There is no block at this height yet. The last block of ${chain.title} is ${groupDigits(tip)}.`,
      links: [
        { href: `/block/${tip}`, word: `Block ${groupDigits(tip)}`, note: 'the last one' },
        { href: '/blocks', word: 'Blocks', note: 'all, with a field to go to a height or a date' },
      ],
    };
  const address = parseAddressText(context, typed);
  if (address !== undefined)
    return {
      text: `This is an address of another network or chain. The same keys have this address on ${chain.title} of the network ${network.name}:`,
      links: [{ href: `/address/${address.address}`, word: address.address, note: 'the same address here' }],
    };
  if (nearest.length > 0) return { text: 'The checksum does not fit. Did you mean this one?', links: nearest };
  const links = [
    ...(await findAlike(source, context, typed)),
    ...(await findNames(source, context, typed)),
    ...(await findCalls(source, reference, typed)),
  ];
  const isId = unlessFault(() => parseId(typed)) !== undefined;
  const why = isId
    ? `No block, transaction, asset or output of ${chain.title} of the network ${network.name} has this ID.${has.dev ? ' If it was there before, a revert has removed it.' : ' It may be of another network or chain.'}`
    : `Nothing on ${chain.title} of the network ${network.name} has this height, ID, address, name or symbol. IDs and addresses are case-sensitive and have a checksum.`;
  if (links.length > 0) return { text: `${why} Most like it:`, links };
  return {
    text: `${why} Begin with a list:`,
    links: [
      { href: '/blocks', word: 'Blocks', note: 'all blocks, newest first' },
      { href: '/assets', word: 'Assets', note: 'all assets by holders' },
      { href: referencePath, word: 'API', note: 'methods and routes' },
    ],
  };
}

/** Characters of an ID by which others are found that begin alike, and how many are listed. */
const alikeLength = 6;
const maxAlike = 5;

/** Blocks and transactions whose IDs begin with the same characters. */
async function findAlike(source: Source, context: PageContext, text: string): Promise<readonly Link[]> {
  if (text.length <= alikeLength || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return [];
  const { matches } = await search(source, context, text.slice(0, alikeLength));
  return matches.slice(0, maxAlike).map(({ href, word, note }) => ({ href, word, note: `${note}; begins alike` }));
}

/** The page and the label that were probably meant. */
async function findNames(source: Source, context: PageContext, text: string): Promise<readonly Link[]> {
  const pages = sections.filter(({ path, isAvailable }) => path !== '' && isAvailable(context));
  const name = findNearestName(
    text,
    pages.map((page) => page.word),
  );
  const page = pages.find(({ word }) => word === name);
  const labels = context.has.dev ? await loadLabels(source) : [];
  const label = findNearestName(
    text,
    labels.map((one) => one.name),
  );
  return [
    ...(page === undefined ? [] : [{ href: page.path, word: page.word, note: 'a page' }]),
    ...labels.flatMap((one) => (one.name === label ? [{ href: `/address/${one.address}`, word: one.name, note: one.address }] : [])),
  ];
}

/** Methods and routes like a text that looks like the name of one. */
async function findCalls(source: Source, reference: ReferenceLoader, text: string): Promise<readonly Link[]> {
  if (!/^[a-z]+\.\w+$|^[a-z]+[A-Z]\w+$/.test(text)) return [];
  return (await reference.findNearest(source, text)).map(({ page, id, summary }) => ({
    href: `${referencePath}/${page}`,
    word: id,
    note: summary,
  }));
}
