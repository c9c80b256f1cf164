// The types of labgen.js, and of the documents of the site that this file is from. Documents may get further fields.

@DOCUMENTS@

/** The sections of a laboratory, and their documents. */
export interface Sections {
@SECTIONS@
}

/** A laboratory with all its sections, each under its name. */
export type WholeLaboratory = { laboratory: LaboratoryDocument } & Sections;

/** An entry of a catalogue: what a search looks for, what people call it, and how many laboratories have it. */
export interface CatalogueEntry {
  /** Identifies the entry in its catalogue; null for countries and statuses, and absent where the site has no catalogues. */
  id?: number | null;
  search_val: string;
  title: string;
  /** Description or designation; absent where the site has no catalogues. */
  summary?: string;
  count: number;
}

/** The catalogues of the site that this file is from. */
export type CatalogueName = @CATALOGUES@;

/** What a copy has of the laboratories, to be kept until `changes` is called again: it can be stored as JSON. */
export type Digests = Record<string, { digest: string; laboratories: Record<string, string> }>;

/** What is different from before: which laboratories are new or have changed, and which are gone. */
export interface Changes {
  now: Digests;
  changed: string[];
  gone: string[];
}

/** What a search finds, one page of it. */
export type Found = LaboratoryList & FoundLaboratories;

/** What a parameter of a search takes; several values are an array, or a text with commas. */
export type ParameterValue = string | number | boolean | readonly (string | number | boolean)[] | undefined;

/** The parameters of a search on the site that this file is from. */
export interface SearchParameters {
@PARAMETERS@
}

/** A query: its parameters, or an address that has them, such as `next` of what was found before. */
export type Query = string | URL | URLSearchParams | SearchParameters;

export interface Options {
  /** Ends the reading; the promise is rejected with the reason of the signal. What a search reads at that moment is kept for the next one. */
  signal?: AbortSignal;
}

export interface Settings {
  /** The function that sends requests; that of the platform by default. */
  fetch?: typeof globalThis.fetch;
  /** How often a document is asked for where the host fails; 3 by default. */
  attempts?: number;
  /** Milliseconds until the second attempt; each further one waits twice as long. 200 by default. */
  wait?: number;
  /** `searcher` of search/client.js, for platforms that import nothing at run time. */
  searcher?: (read: (name: string) => Promise<string>) => unknown;
}

export interface Directory {
  /** All laboratories, in the order of their numbers. Pages are read as the loop gets to them. */
  laboratories(options?: Options): AsyncGenerator<SimilarLab, void, undefined>;
  laboratory(display_id: string, options?: Options): Promise<LaboratoryDocument>;
  section<Name extends keyof Sections>(display_id: string, name: Name, options?: Options): Promise<Sections[Name]>;
  /** A laboratory with all its sections: one document where the site has it, or else one for each. */
  all(display_id: string, options?: Options): Promise<WholeLaboratory>;
  newLaboratories(options?: Options): Promise<SimilarLab[]>;
  upgradeOptions(options?: Options): Promise<UpgradeOptions>;
  /** The entries that laboratories have of a section, a country or a status, by title. Needs the catalogues or the search of the site. */
  catalogue(name: CatalogueName, options?: Options): Promise<CatalogueEntry[]>;
  /** Which laboratories have changed since `before`, the `now` of an earlier call. Needs the whole laboratories of the site. */
  changes(before?: Digests, options?: Options): Promise<Changes>;
  /** Laboratories by filters and words. Needs the search of the site. Words alone are a TypeError: they are the parameter `q`. */
  search(query?: Query, options?: Options): Promise<Found>;
  /** At most eight entries that a text may mean, while one types; of one section only, if `only` names it. Needs the search of the site. */
  suggest(text: string, query?: Query, options?: Options & { only?: string }): Promise<Suggestion[]>;
  /** The address of a path in a document, such as `logo_url` or `url`. */
  address(path: string): string;
  /** The attribute `srcset` for the logo of a laboratory, or a picture of its gallery. */
  srcset(picture: Pick<LaboratoryDocument, "logo_url" | "logo2x_url"> | GalleryImage): string;
}

/** Reads the site at an address; without one, the site that labgen.js is from. */
export function directory(site?: string | URL, settings?: Settings): Directory;

/** The e-mail address or telephone number in `encoded_email` and `encoded_phone`, "" if there is none. */
export function decode(codes: string): string;

/** The sections of a laboratory on the site that this file is from, in their order. */
export const SECTIONS: readonly (keyof Sections)[];

/** An answer that is no document. */
export class DirectoryError extends Error {
  readonly url: string;
  readonly status: number;
  /** Why, in the language of the site; may be empty. */
  readonly detail: string;
  constructor(url: string, status: number, detail: string);
}
