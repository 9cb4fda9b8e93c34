/** Descriptions of files, each remembered until its file changes. */
export class DescribedFiles<Description> {
  private readonly known = new Map<
    string,
    { readonly version: string; readonly description: Promise<Description> }
  >();

  /** @param versionOf a text that changes with the file; rejects for an absent one */
  constructor(
    private readonly versionOf: (file: string) => Promise<string>,
    private readonly read: (file: string) => Promise<Description>,
  ) {}

  async describe(file: string): Promise<Description> {
    const version = await this.versionOf(file);
    const known = this.known.get(file);
    if (known?.version === version) return known.description;
    const description = this.read(file);
    this.known.set(file, { version, description });
    description.catch(() => this.known.delete(file));
    return description;
  }
}
