import { findProgram, readProgramVersion } from "../../agents/find-program.ts";
import { listPrograms } from "../../agents/index.ts";
import { compareVersions } from "../../core/compare-versions.ts";
import { homeFolder } from "../../core/paths.ts";
import { type Check, type DoctorPorts, ok, warn } from "./check.ts";
import { findCredentials } from "./credentials.ts";
import { INSTALL_AGENT } from "../../worker/start/find-driver.ts";

/** Which agents are there, in which version, and whether somebody has logged in. */
export const checkAgents = async ({ env }: DoctorPorts): Promise<Check[]> => {
  const home = homeFolder(env);
  const checks = await Promise.all(
    listPrograms().map(async ({ id, agent, program }): Promise<Check[]> => {
      const path = await findProgram(program, env);
      if (path === undefined) return [];
      const version = (await readProgramVersion(path, env)) ?? "version unknown";
      const place = findCredentials(agent, { env, home });
      const newest = agent.testedVersions?.at(-1);
      return [
        place === undefined
          ? warn(`agent ${id}`, `${version}; no credentials found`, `log in with: ${program}`)
          : ok(`agent ${id}`, `${version}; credentials present (${place})`),
        ...(newest !== undefined && compareVersions(version, newest) > 0
          ? [
              warn(
                `agent ${id}`,
                `${version} is newer than ${newest}, the newest that this Nightshift was tested with`,
                "update Nightshift if there is a newer one; what it does not know of the agent is counted in the worker's log",
              ),
            ]
          : []),
      ];
    }),
  );
  const found = checks.flat();
  return found.length > 0
    ? found
    : [warn("agents", "no coding agent is on PATH", `install one, for example: ${INSTALL_AGENT}`)];
};
