export interface Commands {
  commands: string;
  /** The language of the commands, if a notebook can run them. */
  language?: 'python';
}

/**
 * Returns a Jupyter notebook with the Python commands of a page, as the URL of a download. The URL contains the notebook
 * itself, so the page needs no script and no other website. Returns undefined without such commands.
 */
export function notebookUrl(recipes: readonly Commands[]): string | undefined {
  const cells = recipes
    .filter(({ language }) => language === 'python')
    .map(({ commands }, at) => ({
      cell_type: 'code',
      id: `commands-${at}`,
      execution_count: null,
      metadata: {},
      outputs: [],
      source: commands,
    }));
  if (cells.length === 0) return undefined;
  const kernelspec = { display_name: 'Python 3', language: 'python', name: 'python3' };
  const notebook = { nbformat: 4, nbformat_minor: 5, metadata: { kernelspec }, cells };
  return `data:application/x-ipynb+json,${encodeURIComponent(JSON.stringify(notebook))}`;
}
