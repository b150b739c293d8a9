"""Agent definitions of the demo world."""

from __future__ import annotations

from project_platform_stub.world.store import Contents, Project

# name, description, built in, maximum number of steps
_AGENTS = (
    ("Assistant", "Answers questions about the project.", True, 20),
    ("Researcher", "Finds sources and sums them up.", True, 40),
    ("Copywriter", "Writes in the voice of the brand.", True, 12),
    ("Scheduler", "Finds a slot and books it.", True, 8),
    ("Lead qualifier", "Scores new leads.", False, 15),
    ("Menu planner", "Plans the menu of a month.", False, 30),
    ("Übersetzer", "Translates captions into German.", False, 10),
    ("Report builder", "Builds the weekly report.", False, 25),
)


def add_agents(world: Contents, project: Project, created_at: str) -> None:
    """Add built-in and custom agents; one of them calls an MCP server."""
    for name, description, built_in, max_steps in _AGENTS:
        servers = [{"name": "reports", "url": "https://mcp.example.com/reports", "headers": {"X-Team": "demo"}}]
        agent_id = world.ids.short("agt")
        project.agents[agent_id] = {
            "id": agent_id,
            "projectId": project.id,
            "name": name,
            "description": description,
            "builtIn": built_in,
            "systemPrompt": f"You are {name}. {description}",
            "memoryFiles": ["welcome", "brand/voice"],
            "toolCategories": ["memory"],
            "mcpServers": servers if name == "Report builder" else [],
            "access": "project_member",
            "allowedRoles": ["owner", "viewer"],
            "maxSteps": max_steps,
            "model": "standard",
            "metadata": {"version": 1},
            "createdAt": created_at,
            "updatedAt": created_at,
        }
