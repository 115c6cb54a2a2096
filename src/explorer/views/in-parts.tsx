import { type ComponentChildren, h, toChildArray } from 'preact';

/** While the server renders a page: parts of it that are left out and rendered later, in time slices of their own. */
let leftOut: ComponentChildren[] | undefined;

/** Runs a rendering that leaves parts out. Returns its result and the parts; their place is `partMark`. */
export function leaveOutParts<T>(render: () => T): { readonly rendered: T; readonly parts: readonly ComponentChildren[] } {
  const parts: ComponentChildren[] = [];
  leftOut = parts;
  try {
    return { rendered: render(), parts };
  } finally {
    leftOut = undefined;
  }
}

/** The place of a part in HTML, with its number. Texts of a page cannot contain it: their `<` is escaped. */
export const partMark = /<x-part n="(\d+)"><\/x-part>/g;

/** A part of a page that takes long to render. In the browser, its children. */
export const Part = ({ children }: { children: ComponentChildren }) =>
  leftOut === undefined ? children : h('x-part', { n: leftOut.push(children) - 1 });

/** Rows of a part: ten rows of a table take about 2 ms. */
const rowsOfPart = 10;

/** Rows of a table or a list, of which there may be hundreds. */
export function Rows({ children }: { children: ComponentChildren }) {
  if (leftOut === undefined) return children;
  const rows = toChildArray(children);
  return (
    <>
      {Array.from({ length: Math.ceil(rows.length / rowsOfPart) }, (_, at) => (
        <Part>{rows.slice(at * rowsOfPart, (at + 1) * rowsOfPart)}</Part>
      ))}
    </>
  );
}
