"""Generates `project_platform._generated` from `openapi.yaml`; not shipped. Run `python -m codegen [--check]`."""
