// File names come from strangers, and readers paste commands into any shell. These functions hold for POSIX shells,
// PowerShell, and cmd.exe at the same time.

/**
 * Matches a word that no shell changes between double quotes. PowerShell passes a word without spaces to a batch file
 * without its quotes, so the characters are also safe without quotes in cmd.exe. Letters outside ASCII are not safe:
 * Windows programs may replace them with similar ASCII characters, such as U+02BA with `"`.
 */
const safeWord = /^(?:[\w ./:@+=,()-]|%[0-9A-F]{2})*$/;

/** Matches what cmd.exe may replace with an environment variable. No usual variable starts with a digit. */
const variable = /%(?:[A-F][0-9A-F][^%]+|CD)%/;

const note = '# No command: the name has characters that shells can treat as code. Use Python.';

/**
 * A template of commands for a shell. Quotes each value as one word. Returns only a comment if a value contains a
 * character that POSIX shells, PowerShell, or cmd.exe could treat as code.
 */
export function shell(parts: TemplateStringsArray, ...words: readonly string[]): string {
  if (words.some((word) => !safeWord.test(word) || variable.test(word))) return note;
  return String.raw({ raw: parts }, ...words.map((word) => (/^[\w./:][\w./:@+=%-]*$/.test(word) ? word : `"${word}"`)));
}

/**
 * Escapes more characters of an escaped URL, so that the function `shell` accepts it. Writes `%ACCESS_TOKEN%` as
 * `%AC%43ESS_TOKEN%`, because cmd.exe would replace the first form with the value of the variable `ACCESS_TOKEN`.
 */
export function shellUrl(url: string): string {
  return url.replace(
    /(%[A-F].)([\w.-])|[!'*~]/g,
    (found, byte = '', next = found) => `${byte}%${next.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Matches one character that a terminal does not print, or prints in a misleading way, such as U+202E. */
const unclear = /[^ -~\p{L}\p{M}\p{N}]|\p{Default_Ignorable_Code_Point}/gu;

export function isClear(text: string): boolean {
  return text.search(unclear) === -1;
}

/** Quotes a text as a string literal that Python, R, and YAML all accept. Escapes all characters that are not clear. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(unclear, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}

/**
 * Returns the name for a copy of a file. Windows treats some characters as separators of folders or streams. A name that
 * starts with a dot, such as `.bashrc`, could replace a file that configures the reader's own programs.
 */
export function localName(key: string): string {
  return (key.split('/').at(-1) ?? '').replace(/[\\:*?"<>|]/g, '_').replace(/^\./, '_.');
}

/** Returns the name for a copy of a file, as a word that `shell` accepts and no program treats as an option. */
export function shellName(key: string): string {
  return localName(key)
    .replace(/[^\w .@+=,()-]/g, '_')
    .replace(/^-/, './-');
}

/** Returns Python code that lists all files of a folder with boto3. */
export function listingInPython(client: string, accountId: string, prefix: string): string {
  return `${client}
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=${quoted(accountId)}, Prefix=${quoted(prefix)})
for page in pages:
    for item in page.get("Contents", []):
        print(item["Key"], item["Size"])`;
}
