import type { ScriptedFormat } from './scripted.ts';

/** The settings that a preview page passes to its script. */
export interface PreviewConfiguration {
  format: ScriptedFormat;
  /** The URL of the file's data. */
  url: string;
  bytes: number;
  /** The URL of the worker script that reads the file. */
  worker_url: string;
}
