import {
  isArrayLiteralExpression,
  isAsExpression,
  isCallExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isNewExpression,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isVariableDeclaration,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/async';

/** A list, map or set that a function other than the one that created it adds to: it can outlive the call that created it. */
type GrowingVariable = { readonly file: string; readonly name: string };

/** Finds them in files of a folder, by their syntax trees. `project`: the folder of tsconfig.json. */
export async function findGrowingVariables(project: string, folder: string, files: readonly string[]): Promise<GrowingVariable[]> {
  const api = new API({ cwd: project });
  try {
    const snapshot = await api.updateSnapshot({ openProject: `${project}/tsconfig.json` });
    const [opened] = snapshot.getProjects();
    const found = await Promise.all(
      files.map(async (file) => {
        const source = await opened?.program.getSourceFile(`${folder}/${file}`);
        if (source === undefined) throw new Error(`${file} is not in the project`);
        return namesIn(source).map((name) => ({ file, name }));
      }),
    );
    return found.flat();
  } finally {
    await api.close();
  }
}

const addingMethods: ReadonlySet<string> = new Set(['set', 'add', 'push', 'unshift']);

function namesIn(source: SourceFile): string[] {
  /** Every call of an adding method: on which name, in which function. */
  const additions: { readonly name: string; readonly within: Node | undefined }[] = [];
  const declared: { readonly name: string; readonly within: Node | undefined }[] = [];
  const visit = (node: Node, within: Node | undefined): void => {
    const declaration = isVariableDeclaration(node) || isPropertyAssignment(node) ? node : undefined;
    if (declaration !== undefined && isIdentifier(declaration.name) && isCollection(declaration.initializer))
      declared.push({ name: declaration.name.text, within });
    const added = isCallExpression(node) ? addedTo(node.expression) : undefined;
    if (added !== undefined) additions.push({ name: added, within });
    const inner = isFunctionLikeDeclaration(node) ? node : within;
    node.forEachChild((child) => void visit(child, inner));
  };
  visit(source, undefined);
  const isGrown = ({ name, within }: (typeof declared)[number]): boolean =>
    additions.some((one) => one.name === name && one.within !== within && isInside(one.within, within));
  return [...new Set(declared.filter(isGrown).map(({ name }) => name))];
}

/** Whether a function is inside another one; everything is inside the file. */
function isInside(inner: Node | undefined, outer: Node | undefined): boolean {
  if (outer === undefined) return true;
  for (let node = inner; node !== undefined; node = node.parent) if (node === outer) return true;
  return false;
}

/** The name before an adding method: `queue` of `queue.push` and of `state.queue.push`. */
function addedTo(called: Node): string | undefined {
  if (!isPropertyAccessExpression(called) || !addingMethods.has(called.name.text)) return undefined;
  const target = called.expression;
  if (isIdentifier(target)) return target.text;
  return isPropertyAccessExpression(target) ? target.name.text : undefined;
}

function isCollection(value: Node | undefined): boolean {
  if (value === undefined) return false;
  if (isAsExpression(value) || isParenthesizedExpression(value)) return isCollection(value.expression);
  if (isArrayLiteralExpression(value)) return true;
  return isNewExpression(value) && isIdentifier(value.expression) && /^(?:Map|Set)$/.test(value.expression.text);
}
