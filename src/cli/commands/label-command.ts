import { type ClientCommand, callDev, decodeDev, formatJson } from './client-command.ts';
import { badArgument } from './fault.ts';
import { formatTable } from './table.ts';

/** `serac label`: lists the labels, names an address, or removes its name. */
export const label: ClientCommand = async ({ client, args: [address, name], options, print }) => {
  if (address === undefined) {
    const json = await callDev(client, 'labels');
    const { labels } = decodeDev('labels', json);
    const lines =
      labels.length === 0
        ? ['no labels; serac label ADDRESS NAME names an address']
        : formatTable(
            ['Name', 'Address'],
            labels.map((one) => [one.name, one.address]),
          );
    for (const line of options.json ? [formatJson(json)] : lines) print(line);
    return undefined;
  }
  if (name === undefined)
    throw badArgument(address, `the name for ${address} is missing: serac label ${address} NAME; an empty name ('') removes the label`);
  const json = await callDev(client, 'label', { address, name });
  const labelled = decodeDev('label', json);
  print(options.json ? formatJson(json) : `${labelled.address} ${name === '' ? 'has no label any more' : `is ${name}`}`);
  return undefined;
};
