import { editDistance } from '../../base/bytes/nearest-name.ts';

/** A page as the list of all pages (`llms.txt`) has it. */
export type ListedPage = { readonly page: string; readonly title: string; readonly about: string };

/** The pages of `llms.txt`, whose lines are `- [title](page.md): about`. */
export const readPageList = (list: string): ListedPage[] =>
  [...list.matchAll(/^- \[(.+)\]\((.+)\.md\): (.*)$/gm)].map(([, title = '', page = '', about = '']) => ({ page, title, about }));

/** Characters of a path that are compared: a longer one names no page. */
const maxPathLength = 100;

/** The pages whose paths and titles are most like a path that does not exist. */
export function findNearestPages(path: string, pages: readonly ListedPage[], count: number): ListedPage[] {
  const wanted = path
    .slice(0, maxPathLength)
    .toLowerCase()
    .replace(/\.(html|md)$/, '');
  const name = lastName(wanted);
  const words = wanted.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
  const scored = pages.map((listed) => {
    const text = `${listed.page} ${listed.title} ${listed.about}`.toLowerCase();
    const found = words.filter((word) => text.includes(word)).length;
    const own = lastName(listed.page);
    return { listed, score: found + 2 * (1 - editDistance(name, own) / Math.max(name.length, own.length, 1)) };
  });
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ listed }) => listed);
}

const lastName = (path: string): string => path.replace(/^.*\/(?=.)/, '');
