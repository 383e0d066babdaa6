import type { ScriptedFormat } from './scripted.ts';

/** What the page of a preview tells its script. */
export interface PreviewConfiguration {
  format: ScriptedFormat;
  /** Where the file's bytes are. */
  url: string;
  bytes: number;
  /** Of the script that reads the file, apart from the page. */
  worker_url: string;
}
